// SPDX-License-Identifier: Apache-2.0
// The reference page of the instruction set, from the table.
#pragma once
#include <string>

namespace heddle::isa {

// Markdown: the instructions of each unit, then the bits of each format. docs/isa/instructions.md is this text.
std::string instruction_reference();

}  // namespace heddle::isa
