// SPDX-License-Identifier: Apache-2.0
// One step of a model (models/decoder/step.hpp) as its mathematics has it: a list of operations, each with what it must
// leave in memory, in double, from what lies there when it begins. Errors do not add up: each operation is held against
// its own inputs.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/decoder/step.hpp"
#include "sim/app/bisect/divergence.hpp"

namespace heddle::app {

struct ModelOp {
  std::string name;         // "qkv projection"
  std::int64_t layer = -1;  // none
  int kernels = 1;          // of the program that it consists of, one after the other
  std::function<std::vector<Expected>()> expected;
};

using StepWords = std::array<std::uint64_t, models::StepArguments::count>;  // the launch's arguments

// Operations before the layers, those of a layer (the same for each), and those after.
struct StepOps {
  std::vector<ModelOp> before, layer, after;
};
// `hbm` is the memory, `n` the layer that `layer` is about. tolerance: instead of each operation's own (by the type of
// its result: bf16 1/128, attention and gated products 1/64; fp32 2e-5; copies and indices 0), where that is not 0.
StepOps ops_of_step(const models::Layout& layout, const std::uint8_t* hbm, const StepWords& arguments, bool decode,
                    std::int64_t n, std::optional<double> tolerance);

// What lies where, for reports; of layer n, or of none.
std::vector<PlacedTensor> tensors_of_step(const models::Layout& layout, const StepWords& arguments, std::int64_t n);

}  // namespace heddle::app
