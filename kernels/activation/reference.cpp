// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "kernels/activation/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {

KernelDef swiglu_problem() {
  KernelDef d;
  d.name = "swiglu";
  d.summary = "silu of the left half of each row times its right half";
  d.params = {{"tokens", 512, 1, "rows"}, {"intermediate", 5632, 1, "half a row's length"}};
  d.dtypes = {DType::bf16, DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    const auto tokens = at(s, "tokens"), width = at(s, "intermediate");
    return std::vector<TensorSpec>{{"x", dtype, {tokens, 2 * width}, Role::input, {}},
                                   {"y", dtype, {tokens, width}, Role::output, {}}};
  };
  d.reference = [](const Shape& s, std::vector<HostTensor>& t) {
    const auto width = at(s, "intermediate");
    for (std::int64_t r = 0; r < at(s, "tokens"); ++r)
      for (std::int64_t i = 0; i < width; ++i) {
        const double gate = t[0].get(r * 2 * width + i);
        t[1].set(r * width + i, gate / (1 + std::exp(-gate)) * t[0].get(r * 2 * width + width + i));
      }
  };
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) { return Work{0, dtype, bytes_once(tensors(s, dtype))}; };
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 1e-5 : 2 * rounding(dtype); };
  d.test_shapes = {{{"tokens", 1}, {"intermediate", 1}},
                   {{"tokens", 3}, {"intermediate", 67}},
                   {{"tokens", 1}, {"intermediate", 1536}},
                   {{"tokens", 70}, {"intermediate", 512}}};
  return d;
}

KernelDef gelu_problem() {
  KernelDef d;
  d.name = "gelu";
  d.summary = "GPT-2's gelu (tanh form), elementwise";
  d.params = {{"tokens", 512, 1, "rows"}, {"hidden", 3072, 1, "row length"}};
  d.dtypes = {DType::bf16, DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    return std::vector<TensorSpec>{{"x", dtype, {at(s, "tokens"), at(s, "hidden")}, Role::input, {}},
                                   {"y", dtype, {at(s, "tokens"), at(s, "hidden")}, Role::output, {}}};
  };
  d.reference = [](const Shape& s, std::vector<HostTensor>& t) {
    for (std::int64_t i = 0; i < at(s, "tokens") * at(s, "hidden"); ++i) {
      const double x = t[0].get(i);
      t[1].set(i, x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))));
    }
  };
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) { return Work{0, dtype, bytes_once(tensors(s, dtype))}; };
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 1e-5 : rounding(dtype); };
  d.test_shapes = {{{"tokens", 1}, {"hidden", 1}}, {{"tokens", 3}, {"hidden", 67}}, {{"tokens", 70}, {"hidden", 512}}};
  return d;
}

}  // namespace heddle::kernels
