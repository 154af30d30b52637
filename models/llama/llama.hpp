// SPDX-License-Identifier: Apache-2.0
// Llama-like models (Llama, SmolLM, Mistral, Qwen2, Qwen3): RMSNorm, rotary positions, grouped heads, gated
// feed-forward.
#pragma once
#include "models/decoder/step.hpp"

namespace heddle::models {

// One step of the model as a program: see StepArguments.
isa::ProgramImage record_llama(const sdk::Target& target, const Layout& layout, bool decode);

}  // namespace heddle::models
