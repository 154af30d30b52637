// SPDX-License-Identifier: Apache-2.0
// A program image back to assembly text.
#pragma once
#include <string>

#include "isa/image/image.hpp"

namespace heddle::isa {

// Text that assembles to an image with the same serialize() bytes: labels made up where the code jumps, views, data,
// scopes and debug lines as directives. The image must pass verify() (throws what verify() throws).
std::string disassemble(const ProgramImage& image);

// One line such as "mxu.matmul v4, v1, accumulate  wait s1, post s3". With an image, views and entry points go by name;
// without one (null), by number. Never throws on a decoded instruction.
std::string format_instruction(const Instruction& instruction, const ProgramImage* image);

}  // namespace heddle::isa
