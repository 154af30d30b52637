// SPDX-License-Identifier: Apache-2.0
// The program as a line of instructions with labels, still over values and views. Private to sdk/.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sdk/arch/program.hpp"
#include "sdk/arch/target.hpp"

namespace heddle::sdk {

enum class FlatKind : std::uint8_t {
  instruction,
  label,
  loop_begin,
  loop_end,
  scope_begin,
  scope_end,
  allow_begin,
  allow_end,
  entry,
  print
};

struct Flat {
  FlatKind kind = FlatKind::instruction;
  isa::Instruction in;
  ValueId rd = 0, rs1 = 0, rs2 = 0, rs3 = 0, size0 = 0, size1 = 0;
  ViewId vd = 0, va = 0, vb = 0, vc = 0, bias = 0, row = 0;
  std::vector<SyncCount> waits, posts;
  std::array<BufferId, 4> tiles{};
  bool fresh = false;
  std::uint32_t label = 0;  // defined here, or the target of a branch
  std::uint32_t file = 0, line = 0;
  std::uint32_t entry = 0;  // number, of FlatKind::entry
  std::uint32_t allow = 0;  // number, of FlatKind::allow_begin
  std::string name;         // of a scope
  bool view_definition = false;
  bool constant_source = false;  // result can be made again anywhere: li, csrr, a launch argument
  bool fixed_view = false;       // as for views: its operands never change; false of a copy for one use

  // print: a step for the image; with `captured`, it keeps that value, from the register that it has just been put
  // into.
  isa::PrintStep step;
  ValueId captured = 0;

  std::vector<ValueId*> scalar_uses();
  std::vector<ViewId*> view_uses();
};

// Views in `sunk` are made right before each use instead of once.
std::vector<Flat> flatten(Program& program, const std::set<ViewId>& sunk);

// ---- Prints (prints.cpp)
// The step that a print, or an instruction whose result only prints need, becomes. Its operands are t registers, one
// for each value: the number of a value's is the value's own until with_captures() numbers those that there are.
Flat print_step(const Node& n);
Flat keep_step(const Node& n);
// The line with a step after each instruction that makes a value which prints need.
std::vector<Flat> with_captures(std::vector<Flat> line);
// The image's steps, in place: the code of the image is that of the line.
void add_prints(isa::ProgramImage& image, const Program& program, const std::vector<Flat>& line,
                const std::vector<int>& scalar_registers);

// Register of each value or view, or -1: kept in SMEM or made again at each use.
struct Registers {
  std::vector<int> scalar;
  std::vector<int> view;
};

// Chooses registers; rewrites the line where values are kept in SMEM. HDL-SDK-13: more than 32 views at once.
// HDL-SDK-04: no room in SMEM for saved values.
std::vector<Flat> allocate_registers(Program& program, const Target& target, Registers& registers);

}  // namespace heddle::sdk
