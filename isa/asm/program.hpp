// SPDX-License-Identifier: Apache-2.0
// What the assembler knows while it reads a file.
#pragma once
#include <string>
#include <vector>

#include "isa/asm/symbols.hpp"
#include "isa/image/image.hpp"

namespace heddle::isa {

struct Program {
  struct PendingEntry {
    std::string name;
    std::uint32_t arguments = 0;
    Place place;
  };
  struct OpenScope {
    std::size_t index = 0;
    Place place;
  };
  // An instruction's line, and how many tokens of it are labels.
  struct PendingInstruction {
    std::uint32_t line = 0;
    std::uint32_t skip = 0;
  };

  explicit Program(const SourceText& source) : text(source) {}

  const SourceText& text;
  ProgramImage image;
  Symbols symbols;
  std::vector<PendingEntry> entries;
  std::vector<OpenScope> scopes;
  std::vector<OpenScope> allows;
  std::vector<PendingInstruction> instructions;
  std::size_t constant_bytes = 0;  // of all data before the last piece, each rounded up to 64
  bool lines_from_source = true;   // until a directive brings other debug lines
  Place last_print;

  std::uint32_t here() const { return static_cast<std::uint32_t>(instructions.size()); }
};

// Carries out the directive at the cursor (its name starts with a dot), up to the end of the line.
void run_directive(Cursor& cursor, Program& program);

// Those in hazard_directives.cpp.
void allow_directive(Cursor& c, Program& p);
void end_allow_directive(Cursor& c, Program& p);
void tile_directive(Cursor& c, Program& p);
void within_directive(Cursor& c, Program& p);
void fresh_directive(Cursor& c, Program& p);

}  // namespace heddle::isa
