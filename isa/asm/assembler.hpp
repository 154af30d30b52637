// SPDX-License-Identifier: Apache-2.0
// Assembly text to a program image. The syntax is docs/isa/assembly.md.
#pragma once
#include <string>
#include <string_view>

#include "isa/image/image.hpp"

namespace heddle::isa {

inline constexpr std::size_t max_source_bytes = std::size_t{1} << 28;

// `file_name` names the text in errors and debug lines; its stem is the program's name unless .name gives one. The
// result has passed verify(). Throws bad_input with file, line and column, and the line and a caret in the message:
//   HDL-ASM-01 bad character, number or quoted text    HDL-ASM-02 something else was expected
//   HDL-ASM-03 unknown instruction or directive        HDL-ASM-04 unknown label, view or name
//   HDL-ASM-05 operands missing, too many or repeated  HDL-ASM-06 a number out of range
//   HDL-ASM-07 a name defined twice                    HDL-ASM-08 more of something than an image may hold
//   HDL-ASM-09 a directive in the wrong place, an open scope, no instruction
ProgramImage assemble(std::string_view text, const std::string& file_name);

// Reads the file and assembles it. Throws HDL-ASM-10 when it cannot be read.
ProgramImage assemble_file(const std::string& path);

}  // namespace heddle::isa
