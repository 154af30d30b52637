// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/gemm_loop/gemm_loop.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
namespace {

std::vector<TensorSpec> tensors_of(const Shape& s, DType dtype) {
  // Small numbers, so that many sums stay inside int8 and some do not.
  const auto small = [](std::int64_t, std::uint64_t random) { return static_cast<double>(random % 7) - 3.0; };
  return {{"a", dtype, {at(s, "m"), at(s, "k")}, Role::input, small},
          {"b", dtype, {at(s, "k"), at(s, "n")}, Role::input, small},
          {"c", dtype, {at(s, "m"), at(s, "n")}, Role::output, {}}};
}

void reference(const Shape& s, std::vector<HostTensor>& t) {
  const auto m = at(s, "m"), k = at(s, "k"), n = at(s, "n");
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < k; ++p) sum += t[0].get(i * k + p) * t[1].get(p * n + j);
      t[2].set(i * n + j, std::clamp(sum, -128.0, 127.0));
    }
}

}  // namespace

KernelDef gemm_int8_problem() {
  KernelDef d;
  d.params = {
      {"m", 256, 1, "rows of A and C"}, {"k", 256, 1, "columns of A, rows of B"}, {"n", 256, 1, "columns of B and C"}};
  d.dtypes = {DType::int8};
  d.uses_mxu = true;
  d.tensors = tensors_of;
  d.reference = reference;
  d.work = [](const Shape& s, DType dtype) {
    return Work{static_cast<double>(at(s, "m")) * static_cast<double>(at(s, "k") * at(s, "n")), dtype,
                bytes_once(tensors_of(s, dtype))};
  };
  d.tolerance = [](DType) { return 0.0; };
  return d;
}

}  // namespace heddle::kernels
