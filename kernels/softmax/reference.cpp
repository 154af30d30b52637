// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/registry/problem.hpp"
#include "kernels/softmax/problem.hpp"

namespace heddle::kernels {

KernelDef softmax_problem() {
  KernelDef d;
  d.name = "softmax";
  d.summary = "rows to probabilities";
  d.params = {{"rows", 512, 1, "rows"}, {"cols", 2048, 1, "row length"}};
  d.dtypes = {DType::bf16, DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    return std::vector<TensorSpec>{{"x", dtype, {at(s, "rows"), at(s, "cols")}, Role::input, {}},
                                   {"y", dtype, {at(s, "rows"), at(s, "cols")}, Role::output, {}}};
  };
  d.reference = [](const Shape& s, std::vector<HostTensor>& t) {
    const auto cols = at(s, "cols");
    for (std::int64_t r = 0; r < at(s, "rows"); ++r) {
      double top = -INFINITY, sum = 0;
      for (std::int64_t j = 0; j < cols; ++j) top = std::fmax(top, t[0].get(r * cols + j));
      for (std::int64_t j = 0; j < cols; ++j) sum += std::exp(t[0].get(r * cols + j) - top);
      for (std::int64_t j = 0; j < cols; ++j) t[1].set(r * cols + j, std::exp(t[0].get(r * cols + j) - top) / sum);
    }
  };
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) { return Work{0, dtype, bytes_once(tensors(s, dtype))}; };
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 1e-5 : rounding(dtype); };
  d.test_shapes = {{{"rows", 1}, {"cols", 1}},
                   {{"rows", 3}, {"cols", 67}},
                   {{"rows", 130}, {"cols", 512}},
                   {{"rows", 1}, {"cols", 4099}}};
  return d;
}

}  // namespace heddle::kernels
