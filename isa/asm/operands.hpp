// SPDX-License-Identifier: Apache-2.0
// One instruction of assembly text, by the fields of its format.
#pragma once
#include <optional>
#include <string_view>

#include "isa/asm/symbols.hpp"
#include "isa/def/instructions.hpp"

namespace heddle::isa {

// "x5" with prefix 'x' and 32 registers gives 5; "x05", "x32" and "y5" give nothing. At most 65536 registers.
std::optional<std::uint32_t> numbered(std::string_view text, char prefix, std::uint32_t count);

// The row of a mnemonic, or null.
const InstructionInfo* find_mnemonic(std::string_view mnemonic);

// Reads `mnemonic operands [wait ...] [post ...]` up to the end of the line. `code_size` bounds branch targets and
// `template_count` template numbers. Throws HDL-ASM-02 to -08.
Instruction parse_instruction(Cursor& cursor, const Symbols& symbols, std::size_t code_size,
                              std::size_t template_count);

}  // namespace heddle::isa
