// SPDX-License-Identifier: Apache-2.0
// What is kept of a program for as long as somebody may ask where an instruction came from.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/image/image.hpp"
#include "sim/control/program.hpp"

namespace heddle::trace {

struct ProgramInfo {
  explicit ProgramInfo(const control::Program& program);

  static constexpr std::uint32_t no_scope = 0xffffffff;
  isa::ProgramImage image;              // without constants
  std::vector<isa::Opcode> ops;         // by instruction
  std::vector<std::uint8_t> engines;    // by instruction: which of its unit
  std::vector<std::uint32_t> scope_of;  // by instruction: the innermost scope, or no_scope
  std::vector<std::uint32_t> parent;    // by scope
  struct Loop {
    std::uint32_t branch, target;  // target <= branch
  };
  std::vector<std::vector<Loop>> loops;  // by scope: those that lie inside

  std::uint32_t scope(std::uint32_t pc) const { return pc < scope_of.size() ? scope_of[pc] : no_scope; }
  // Whether a sequencer that was at `from` and came to `to`, not behind it and in the same scope, left the scope on its
  // way: no loop of the scope's own leads there.
  bool left_between(std::uint32_t scope, std::uint32_t from, std::uint32_t to) const;
  // "layer/gemm": the scope's name behind those around it. The second scope of a name in the same one is "gemm#2".
  std::string path(std::uint32_t scope) const;
  // "gemm.cpp:41", the file without its folders; "instruction 12" where the image has no line.
  std::string place(std::uint32_t pc) const;
  std::string_view mnemonic(std::uint32_t pc) const;
  // Of the entry that begins there; empty: none does.
  std::string_view entry(std::uint32_t pc) const;
  // "dma0", "sequencer", ...: the engine that executes it.
  std::string engine(std::uint32_t pc) const;
};

std::string_view unit_name(isa::Unit unit);

// Each program once, however often it is launched; by name and code.
class Programs {
 public:
  // Its number, counted from 0.
  std::uint32_t add(const control::Program& program);
  const ProgramInfo& operator[](std::uint32_t number) const { return *infos_[number]; }
  std::size_t size() const { return infos_.size(); }

 private:
  std::vector<std::unique_ptr<ProgramInfo>> infos_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace heddle::trace
