// SPDX-License-Identifier: Apache-2.0
// gemm_sharded: the product on a square grid of cores, A and C in the cores' scratchpads if so wished (a layer whose
// neighbours keep their activations on the chip). The entry "prepare" puts A there, "main" multiplies, "collect" takes
// C out; only main is timed.
#include "isa/base/error.hpp"
#include "kernels/gemm/grid.hpp"
#include "kernels/gemm/operands.hpp"
#include "kernels/gemm/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

// One recording of an entry. The shards are the first tiles of each, and so lie in the same place in all three.
struct Entry {
  Entry(KernelBuilder& k, const kernels::Shape& s, DType dtype, const GridPlan& p)
      : m(at(s, "m")), kk(at(s, "k")), n(at(s, "n")) {
    const auto blocks = [](std::int64_t size, std::int64_t of) { return (size + of - 1) / of; };
    const std::int64_t rows = blocks(m, p.side * p.m);
    if (at(s, "a_in_spm") != 0) shards.a = k.spm({rows * blocks(kk, p.side * p.k), p.m, p.k}, dtype);
    if (at(s, "c_in_spm") != 0) shards.c = k.spm({rows * blocks(n, p.side * p.n), p.m, p.n}, dtype);
    a = Tensor(k.arg(0), dtype, {m, kk});
    b = Tensor(k.arg(1), dtype, {kk, n});
    c = Tensor(k.arg(2), dtype, {m, n});
  }
  std::int64_t m, kk, n;
  Tensor a, b, c;
  GridShards shards;
};

isa::ProgramImage build(const Target& target, const kernels::Shape& s, DType dtype) {
  const GridOptions options{epilogue_bytes(store_converted(), dtype), at(s, "a_in_spm") != 0, at(s, "c_in_spm") != 0};
  const GridPlan plan = plan_grid(target, at(s, "m"), at(s, "k"), at(s, "n"), dtype, options);
  if (!plan.fits)
    fail(
        ErrorKind::unsupported, "HDL-KRN-05",
        "gemm_sharded on {}: expected a square number of cores from {} on, 8 rows and columns of C for each of a side, "
        "and room for the shards in {} bytes of scratchpad",
        target.name, least_grid_side * least_grid_side, target.spm_bytes);
  KernelBuilder k(target, "gemm_sharded");
  if (options.a_in_spm)
    k.entry("prepare", [&] {
      const Entry e(k, s, dtype, plan);
      load_shards(k, e.a, plan, *e.shards.a);
    });
  if (options.c_in_spm)
    k.entry("collect", [&] {
      const Entry e(k, s, dtype, plan);
      store_shards(k, e.c, plan, *e.shards.c);
    });
  const Entry e(k, s, dtype, plan);
  {
    const auto scope = k.kernel("gemm_sharded");
    gemm_of_grid(k, {e.a, e.b, e.c, false, {}}, plan, e.shards);
  }
  return k.finish();
}

const KernelRegistration registration([] {
  KernelDef d = plain_gemm_problem();
  d.name = "gemm_sharded";
  d.summary = "C = A · B on a square grid of cores, A and C in their scratchpads if so wished";
  d.params.push_back({"a_in_spm", 1, 0, "1: A lies in the scratchpads"});
  d.params.push_back({"c_in_spm", 1, 0, "1: C stays in the scratchpads"});
  d.dtypes = {DType::bf16, DType::fp32};
  d.work = [whole = d.work](const kernels::Shape& s, DType dtype) {
    Work w = whole(s, dtype);
    if (at(s, "a_in_spm") != 0) w.hbm_bytes -= static_cast<double>(bytes_of(dtype, at(s, "m") * at(s, "k")));
    if (at(s, "c_in_spm") != 0) w.hbm_bytes -= static_cast<double>(bytes_of(dtype, at(s, "m") * at(s, "n")));
    return w;
  };
  // No shapes for the common tests: it needs more cores than those have; see testbench/kernel/gemm.
  d.build = build;
  return d;
}());

}  // namespace
}  // namespace heddle::kernels
