// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {

KernelDef embedding_problem() {
  KernelDef d;
  d.name = "embedding";
  d.summary = "rows of a table by index";
  d.params = {
      {"tokens", 512, 1, "rows gathered"}, {"vocab", 32000, 1, "rows of the table"}, {"hidden", 2048, 1, "row length"}};
  d.dtypes = {DType::bf16, DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    const auto tokens = at(s, "tokens"), vocab = at(s, "vocab"), hidden = at(s, "hidden");
    return std::vector<TensorSpec>{{"ids", DType::int32, {tokens}, Role::input, uniform_index(vocab)},
                                   {"table", dtype, {vocab, hidden}, Role::input, {}},
                                   {"out", dtype, {tokens, hidden}, Role::output, {}}};
  };
  d.reference = [](const Shape& s, std::vector<HostTensor>& t) {
    const auto hidden = at(s, "hidden");
    for (std::int64_t i = 0; i < at(s, "tokens"); ++i)
      for (std::int64_t j = 0; j < hidden; ++j)
        t[2].set(i * hidden + j, t[1].get(static_cast<std::int64_t>(t[0].get(i)) * hidden + j));
  };
  d.work = [](const Shape& s, DType dtype) {
    const double row = static_cast<double>(bytes_of(dtype, at(s, "hidden")));
    return Work{0, dtype, static_cast<double>(at(s, "tokens")) * (4 + 2 * row)};
  };
  d.tolerance = [](DType) { return 0.0; };
  d.test_shapes = {{{"tokens", 1}, {"vocab", 1}, {"hidden", 1}},
                   {{"tokens", 7}, {"vocab", 50}, {"hidden", 33}},
                   {{"tokens", 300}, {"vocab", 1000}, {"hidden", 192}}};
  return d;
}

}  // namespace heddle::kernels
