// SPDX-License-Identifier: Apache-2.0
#include "testbench/kernel/bisect/faulty_gemm.hpp"

#include "kernels/gemm/problem.hpp"
#include "kernels/registry/problem.hpp"
#include "sdk/sdk.hpp"

namespace heddle::bisect_test {
using namespace sdk;
namespace {

constexpr std::int64_t tile = 64;
Lines lines;

void record(KernelBuilder& k, Fault fault, const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& bias) {
  const auto scope = k.kernel("faulty_gemm");
  const TileGrid tiles = c.tiled(tile, tile);
  const std::int64_t steps = (a.extent(1).capacity + tile - 1) / tile;
  k.for_each(fault == Fault::missing_tile ? tiles.count() - 1 : tiles.count(), [&](Scalar i) {
    const Tensor out = tiles[i];
    const Acc sum = k.acc(out.shape(), fp32);
    const auto block_of_a = [&](Scalar s) {
      const Scalar block = fault == Fault::last_k_block ? min(s, std::max<std::int64_t>(0, steps - 2)) : s;
      return a.row_block(out, tile)[block];
    };
    const Spm sums = k.spm(out.shape(), bf16), part = k.spm(out.shape(), bf16);
    if (fault == Fault::bf16_sums) k.fill(sums, 0);
    lines.load_a = __LINE__ + 1;
    k.pipeline<2>(Steps(steps), in(block_of_a), in(b.col_block(out, tile)), [&](Spm x, Spm w, Step s) {
      if (fault != Fault::bf16_sums) return k.matmul(sum, x, w, s.mode());
      k.matmul(sum, x, w, overwrite);
      k.convert(part, sum);
      lines.sum = __LINE__ + 1;
      k.add(sums, sums, part);
    });
    const Spm row = k.spm({1, out.extent(1)}, fp32), result = k.spm(out.shape(), c.dtype());
    const Scalar column = fault == Fault::bias_columns ? Scalar(0) : out.begin(1);
    k.load(row, bias.slice(0, column, out.extent(1)).unsqueeze());
    if (fault == Fault::bf16_sums) {
      k.add(result, sums, row);
    } else if (fault == Fault::log_of_negative) {
      lines.sum = __LINE__ + 1;
      k.log(result, sum);
    } else {
      k.add(result, sum, row);
    }
    lines.store = __LINE__ + 1;
    k.store(out, result);
  });
}

}  // namespace

Lines faulty_gemm_lines() { return lines; }

kernels::KernelDef faulty_gemm(Fault fault) {
  kernels::KernelDef d = kernels::gemm_problem();
  d.name = "faulty_gemm";
  d.build = [fault](const Target& target, const kernels::Shape& s, DType dtype) {
    const auto m = kernels::at(s, "m"), kk = kernels::at(s, "k"), n = kernels::at(s, "n");
    KernelBuilder k(target, "faulty_gemm");
    record(k, fault, Tensor(k.arg(0), dtype, {m, kk}), Tensor(k.arg(1), dtype, {kk, n}),
           Tensor(k.arg(2), dtype, {m, n}), Tensor(k.arg(3), fp32, {n}));
    return k.finish();
  };
  return d;
}

}  // namespace heddle::bisect_test
