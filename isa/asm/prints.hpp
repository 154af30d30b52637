// SPDX-License-Identifier: Apache-2.0
// Prints in assembly text (docs/isa/assembly.md): .print and .keep, read and written.
#pragma once
#include <functional>
#include <string>

#include "isa/asm/program.hpp"

namespace heddle::isa {

void print_directive(Cursor& cursor, Program& program);
void keep_directive(Cursor& cursor, Program& program);

// The directive that gives this step, by itself on a line. `view` names a template.
std::string print_text(const PrintStep& step, const std::function<std::string(std::int64_t)>& view);

}  // namespace heddle::isa
