// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/registry/problem.hpp"
#include "kernels/rope/problem.hpp"

namespace heddle::kernels {

KernelDef rope_problem() {
  KernelDef d;
  d.name = "rope";
  d.summary = "rotary position embedding, halves convention, in place";
  d.params = {{"tokens", 512, 1, "rows"},
              {"heads", 32, 1, "heads of x"},
              {"head_dim", 128, 2, "length of a head, even"},
              {"position", 0, 0, "position of the first token"}};
  d.dtypes = {DType::bf16, DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    const auto tokens = at(s, "tokens"), dim = at(s, "head_dim"), half = dim / 2,
               positions = at(s, "position") + tokens;
    const auto angle = [dim, half](std::int64_t i, std::uint64_t) {
      const auto position = static_cast<double>(i / dim);
      const std::int64_t column = i % dim;
      const double turn = position * std::pow(10000.0, -static_cast<double>(column % half) / static_cast<double>(half));
      return column < half ? std::cos(turn) : std::sin(turn);
    };
    return std::vector<TensorSpec>{{"x", dtype, {tokens, at(s, "heads"), dim}, Role::inout, {}},
                                   {"table", DType::fp32, {positions, dim}, Role::input, angle}};
  };
  d.extra_arguments = [](const Shape& s) {
    return std::vector<std::uint64_t>{static_cast<std::uint64_t>(at(s, "position"))};
  };
  d.reference = [](const Shape& s, std::vector<HostTensor>& t) {
    const auto heads = at(s, "heads"), dim = at(s, "head_dim"), half = dim / 2;
    for (std::int64_t token = 0; token < at(s, "tokens"); ++token)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t i = 0; i < half; ++i) {
          const std::int64_t low = (token * heads + h) * dim + i, row = (at(s, "position") + token) * dim + i;
          const double a = t[0].get(low), b = t[0].get(low + half), c = t[1].get(row), n = t[1].get(row + half);
          t[0].set(low, a * c - b * n);
          t[0].set(low + half, b * c + a * n);
        }
  };
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) {
    const double table_rows = static_cast<double>(at(s, "tokens") * at(s, "head_dim") * 4);
    return Work{0, dtype, 2 * static_cast<double>(tensors(s, dtype)[0].bytes()) + table_rows};
  };
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 2e-6 : rounding(dtype); };
  d.test_shapes = {{{"tokens", 1}, {"heads", 1}, {"head_dim", 2}, {"position", 0}},
                   {{"tokens", 1}, {"heads", 9}, {"head_dim", 64}, {"position", 77}},
                   {{"tokens", 67}, {"heads", 3}, {"head_dim", 64}, {"position", 5}},
                   {{"tokens", 20}, {"heads", 4}, {"head_dim", 128}, {"position", 0}}};
  return d;
}

}  // namespace heddle::kernels
