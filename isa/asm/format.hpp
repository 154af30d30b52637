// SPDX-License-Identifier: Apache-2.0
// How one instruction is written, given names for what it refers to.
#pragma once
#include <functional>
#include <string>

#include "isa/def/instructions.hpp"

namespace heddle::isa {

struct OperandNames {
  std::function<std::string(std::int64_t)> view;   // of a template number
  std::function<std::string(std::int64_t)> label;  // of an instruction index
};

std::string format_with(const Instruction& instruction, const OperandNames& names);

// What an instruction takes, such as "vd, va [accumulate] [on=] [wait] [post]"; "no operands" if nothing.
std::string signature(const InstructionInfo& row);

// The shortest text that evaluate_float_bits() reads back to these bits.
std::string format_float_bits(std::uint32_t bits);

}  // namespace heddle::isa
