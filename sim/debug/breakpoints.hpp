// SPDX-License-Identifier: Apache-2.0
// Where a debugger stops.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "isa/image/image.hpp"
#include "sim/debug/source.hpp"

namespace heddle::debug {

struct Breakpoint {
  enum class Kind : std::uint8_t { line, name, instruction, cycle, end };
  int number = 0;
  Kind kind = Kind::name;
  std::string text;               // as it was given
  std::string file;               // line: the end of its path
  std::uint32_t line = 0;         // line
  std::int64_t value = 0;         // instruction, cycle
  std::vector<std::uint32_t> at;  // instructions of the current program, rising
};

class Breakpoints {
 public:
  // WHERE is FILE:LINE, a scope, entry or (in assembly text) label, "instruction N", "cycle N" or "end". Throws
  // bad_input HDL-DBG-03 for what is none of them. `program` may be null: it is looked for in the programs to come.
  Breakpoint& add(const std::string& where, const isa::ProgramImage* program, Sources& sources);
  bool remove(int number);
  void clear() { all_.clear(); }
  const std::vector<Breakpoint>& all() const { return all_; }

  // A program begins.
  void resolve(const isa::ProgramImage& program, Sources& sources);
  const Breakpoint* at(std::uint32_t pc) const;            // or null
  const Breakpoint* next_cycle(std::int64_t after) const;  // the first one past it, or null
  const Breakpoint* end() const;                           // or null

 private:
  static void resolve(Breakpoint& b, const isa::ProgramImage& program, Sources& sources);
  std::vector<Breakpoint> all_;
  int last_ = 0;
};

}  // namespace heddle::debug
