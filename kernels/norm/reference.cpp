// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/norm/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
namespace {

constexpr double epsilon = 1e-5;

KernelDef row_norm(bool centred) {
  KernelDef d;
  d.params = {{"tokens", 512, 1, "rows"}, {"hidden", 2048, 1, "row length"}};
  d.dtypes = {DType::bf16, DType::fp32};
  d.tensors = [centred](const Shape& s, DType dtype) {
    const auto tokens = at(s, "tokens"), hidden = at(s, "hidden");
    std::vector<TensorSpec> tensors{{"x", dtype, {tokens, hidden}, Role::input, {}},
                                    {"weight", DType::fp32, {hidden}, Role::input, {}},
                                    {"y", dtype, {tokens, hidden}, Role::output, {}}};
    if (centred) tensors.push_back({"bias", DType::fp32, {hidden}, Role::input, {}});
    return tensors;
  };
  d.reference = [centred](const Shape& s, std::vector<HostTensor>& t) {
    const auto hidden = at(s, "hidden");
    for (std::int64_t r = 0; r < at(s, "tokens"); ++r) {
      double mean = 0, squares = 0;
      for (std::int64_t j = 0; centred && j < hidden; ++j) mean += t[0].get(r * hidden + j);
      mean /= static_cast<double>(hidden);
      for (std::int64_t j = 0; j < hidden; ++j) squares += std::pow(t[0].get(r * hidden + j) - mean, 2);
      const double scale = 1 / std::sqrt(squares / static_cast<double>(hidden) + epsilon);
      for (std::int64_t j = 0; j < hidden; ++j)
        t[2].set(r * hidden + j,
                 (t[0].get(r * hidden + j) - mean) * scale * t[1].get(j) + (centred ? t[3].get(j) : 0.0));
    }
  };
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) { return Work{0, dtype, bytes_once(tensors(s, dtype))}; };
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 2e-5 : rounding(dtype); };
  d.test_shapes = {{{"tokens", 1}, {"hidden", 1}},
                   {{"tokens", 1}, {"hidden", 576}},
                   {{"tokens", 5}, {"hidden", 67}},
                   {{"tokens", 130}, {"hidden", 256}}};
  return d;
}

}  // namespace

KernelDef rmsnorm_problem() {
  KernelDef d = row_norm(false);
  d.name = "rmsnorm";
  d.summary = "rows scaled to unit root mean square, times a weight";
  return d;
}

KernelDef layernorm_problem() {
  KernelDef d = row_norm(true);
  d.name = "layernorm";
  d.summary = "rows to zero mean and unit variance, times a weight, plus a bias";
  return d;
}

}  // namespace heddle::kernels
