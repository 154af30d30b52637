// SPDX-License-Identifier: Apache-2.0
// The recorded program before registers and semaphores are assigned: a tree of blocks (loops, branches, kernels) whose
// nodes are instructions over values (any number of scalar and view values) that name the memory they touch.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/def/instructions.hpp"
#include "isa/image/image.hpp"
#include "sdk/arch/region.hpp"
#include "sdk/arch/scalar.hpp"

namespace heddle::sdk {

// Number of a view value; 0: none.
using ViewId = std::uint32_t;

// Engines, and the sequencer, as the dependency analysis numbers them.
using EngineKey = std::uint8_t;  // unit-major: see engine_key()
inline constexpr EngineKey sequencer_key = 0;
constexpr EngineKey engine_key(isa::Unit unit, int index) {
  const int first = unit == isa::Unit::dma ? 1 : unit == isa::Unit::mxu ? 17 : 33;
  return static_cast<EngineKey>(first + index);
}
constexpr isa::Unit unit_of(EngineKey key) {
  return key >= 33 ? isa::Unit::vpu : key >= 17 ? isa::Unit::mxu : isa::Unit::dma;
}
constexpr int index_of(EngineKey key) { return (key - 1) % 16; }
std::string engine_name(EngineKey key);

struct Access {
  BufferId buffer = 0;
  bool write = false;
  Region region;
};

// Semaphores are virtual until the end: `sem` indexes Program::semaphores.
struct SyncCount {
  std::uint32_t sem = 0;
  std::uint32_t count = 0;
};

struct ViewChange {  // view.size, view.stride or view.remote after the view itself
  isa::Opcode op{};
  int dim = 0;
  ValueId a = 0;
  ValueId b = 0;
};

enum class NodeKind : std::uint8_t { instruction, view, loop, branch, kernel, scope, acquire, commit, wait, release };

struct Block;

struct Node {
  NodeKind kind = NodeKind::instruction;
  isa::Instruction in;  // opcode, immediates and flags; register fields are zero until the end
  ValueId rd = 0, rs1 = 0, rs2 = 0, rs3 = 0, size0 = 0, size1 = 0;
  ViewId vd = 0, va = 0, vb = 0, vc = 0, bias = 0, row = 0;
  std::vector<Access> accesses;
  std::vector<SyncCount> waits, posts;
  std::vector<ViewChange> changes;  // of a view
  ValueId overwrite_if = 0;         // mxu.matmul whose accumulate flag the run decides: overwrite where not zero
  bool pure = false;                // result depends on operands alone: may be shared and moved out of loops
  std::uint32_t file = 0;
  std::uint32_t line = 0;

  // loop: rs1 = begin (0: zero), rs2 = end, in.imm = step, rd = index value.  branch: `condition` on rs1, rs2.
  Cond::Kind condition = Cond::Kind::ne;
  bool runs_once_at_least = false;  // of a loop
  std::unique_ptr<Block> body, other;
  std::string name;  // kernel, scope

  PipeId pipe = 0;  // pipe events
};

struct Block {
  std::vector<Node> nodes;
};

struct Allocation {
  isa::Space space{};
  std::int64_t address = 0;
  std::int64_t slot_bytes = 0;
  int slots = 1;
  PipeId pipe = 0;          // 0: a plain tile
  std::uint32_t owner = 0;  // serial of the block that declared it
  std::uint32_t file = 0, line = 0;
};

// A queue of slots with one kind of generation: writers commit, readers release.
struct PipeInfo {
  BufferId buffer = 0;
  int depth = 1;
  ValueId write_slot = 0;  // byte offset of the slot that the next acquire gives
  ValueId read_slot = 0;
  std::uint32_t file = 0, line = 0;
};

}  // namespace heddle::sdk
