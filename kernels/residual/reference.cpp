// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry/problem.hpp"
#include "kernels/residual/problem.hpp"

namespace heddle::kernels {

KernelDef add_problem() {
  KernelDef d;
  d.name = "add";
  d.summary = "elementwise sum, as at the end of a residual branch";
  d.params = {{"tokens", 512, 1, "rows"}, {"hidden", 2048, 1, "row length"}};
  d.dtypes = {DType::bf16, DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    const std::vector<std::int64_t> dims{at(s, "tokens"), at(s, "hidden")};
    return std::vector<TensorSpec>{
        {"a", dtype, dims, Role::input, {}}, {"b", dtype, dims, Role::input, {}}, {"y", dtype, dims, Role::output, {}}};
  };
  d.reference = [](const Shape&, std::vector<HostTensor>& t) {
    for (std::int64_t i = 0; i < t[2].spec().elements(); ++i) t[2].set(i, t[0].get(i) + t[1].get(i));
  };
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) { return Work{0, dtype, bytes_once(tensors(s, dtype))}; };
  d.tolerance = [](DType dtype) { return rounding(dtype); };
  d.test_shapes = {{{"tokens", 1}, {"hidden", 1}}, {{"tokens", 3}, {"hidden", 67}}, {{"tokens", 130}, {"hidden", 576}}};
  return d;
}

}  // namespace heddle::kernels
