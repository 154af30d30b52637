// SPDX-License-Identifier: Apache-2.0
// GPT-2: LayerNorm, learned positions, biases everywhere, gelu.
#pragma once
#include "models/decoder/step.hpp"

namespace heddle::models {

// One step of the model as a program: see StepArguments.
isa::ProgramImage record_gpt2(const sdk::Target& target, const Layout& layout, bool decode);

}  // namespace heddle::models
