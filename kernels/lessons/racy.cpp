// SPDX-License-Identifier: Apache-2.0
// docs/debugging-a-kernel.md: cores that read what another core may not have stored yet.
#include "kernels/registry/problem.hpp"
#include "sdk/sdk.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr std::int64_t rows = 64;  // of a block

// y = x with the sum of each of its columns in every row. Each core sums its blocks of rows, and then all cores' sums.
void column_sums(KernelBuilder& k, const Tensor& x, const Tensor& y, const Tensor& partial, bool mended) {
  const auto scope = k.kernel("column_sums");
  const std::int64_t n = x.extent(1).capacity, cores = k.target().cores;
  const Spm ones = k.spm({1, rows}, fp32), sum = k.spm({1, n}, fp32);
  const Acc part = k.acc({1, n}, fp32);
  k.fill(ones, 1.0f);
  k.fill(sum, 0.0f);
  k.for_each(x.blocks(0, rows).count(), [&](Scalar i) {
    const Spm block = k.spm({rows, n}, fp32);
    k.load(block, x.blocks(0, rows)[i]);
    k.matmul(part, ones, block, overwrite);
    k.add(sum, sum, part);
  });
  k.store(partial.slice(0, k.core_id(), 1), sum);
  if (mended) k.barrier();
  const Spm all = k.spm({cores, n}, fp32), one = k.spm({1, cores}, fp32), result = k.spm({1, n}, fp32);
  k.load(all, partial);
  k.fill(one, 1.0f);
  k.matmul(part, one, all, overwrite);
  k.convert(result, part);
  k.for_each(y.extent(0).capacity, [&](Scalar i) { k.store(y.slice(0, i, 1), result); });
}

const KernelRegistration registration([] {
  KernelDef d;
  d.name = "lesson_racy";
  d.summary = "sums over columns by cores that do not wait for each other; mended=1: that do";
  d.params = {
      {"m", 512, rows, "rows, a multiple of 64"}, {"n", 64, 1, "columns"}, {"mended", 0, 0, "1: without the fault"}};
  d.dtypes = {DType::fp32};
  d.uses_mxu = true;
  d.tensors = [](const Shape& s, DType dtype) {
    const std::int64_t most_cores = 64;
    const auto zero = [](std::int64_t, std::uint64_t) { return 0.0; };
    return std::vector<TensorSpec>{{"x", dtype, {at(s, "m"), at(s, "n")}, Role::input, {}},
                                   {"y", dtype, {8, at(s, "n")}, Role::output, {}},
                                   {"partial", dtype, {most_cores, at(s, "n")}, Role::input, zero}};
  };
  d.reference = [](const Shape& s, std::vector<HostTensor>& t) {
    const auto m = at(s, "m"), n = at(s, "n");
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < m; ++i) sum += t[0].get(i * n + j);
      for (std::int64_t i = 0; i < 8; ++i) t[1].set(i * n + j, sum);
    }
  };
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) { return Work{0, dtype, bytes_once(tensors(s, dtype))}; };
  d.tolerance = [](DType) { return 2e-5; };
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "lesson_racy");
    column_sums(k, Tensor(k.arg(0), dtype, {at(s, "m"), at(s, "n")}), Tensor(k.arg(1), dtype, {8, at(s, "n")}),
                Tensor(k.arg(2), dtype, {target.cores, at(s, "n")}), at(s, "mended") != 0);
    return k.finish();
  };
  return d;
}());

}  // namespace
}  // namespace heddle::kernels
