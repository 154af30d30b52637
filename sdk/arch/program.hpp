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

// The sequencer (0) and the engines, as the analysis of order numbers them.
using EngineKey = std::uint8_t;
inline constexpr EngineKey sequencer_key = 0;
constexpr EngineKey engine_key(isa::Unit unit, int index) {
  const int first = unit == isa::Unit::dma ? 1 : unit == isa::Unit::mxu ? 17 : 33;
  return static_cast<EngineKey>(first + index);
}
constexpr isa::Unit unit_of(EngineKey key) {
  return key >= 33 ? isa::Unit::vpu : key >= 17 ? isa::Unit::mxu : isa::Unit::dma;
}
constexpr int index_of(EngineKey key) { return (key - 1) % 16; }

struct Access {
  BufferId buffer = 0;
  bool write = false;
  Region region;
};

// Semaphores are virtual until the end: `sem` is a number of Program::semaphores.
struct SyncCount {
  std::uint32_t sem = 0;
  std::uint32_t count = 0;
};

struct ViewChange {  // view.size, view.stride or view.remote right after the view itself
  isa::Opcode op{};
  int dim = 0;
  ValueId a = 0;
  ValueId b = 0;
};

enum class NodeKind : std::uint8_t {
  instruction,
  view,
  loop,
  branch,
  kernel,
  scope,
  acquire,
  commit,
  wait,
  release,
  print
};

struct Block;

struct Node {
  NodeKind kind = NodeKind::instruction;
  isa::Instruction in;  // opcode, immediates, flags; its register and semaphore fields are filled at the end
  ValueId rd = 0, rs1 = 0, rs2 = 0, rs3 = 0, size0 = 0, size1 = 0;
  ViewId vd = 0, va = 0, vb = 0, vc = 0, bias = 0, row = 0;
  std::vector<Access> accesses;
  std::vector<SyncCount> waits, posts;
  std::array<BufferId, 4> tiles{};  // by isa::ViewOperand, of an engine's instruction (name_tiles.cpp); 0: none
  bool fresh = false;               // touches its destination's tile first (isa::TileUse)
  std::vector<ViewChange> changes;  // of a view
  bool run_decides = false;         // mxu.matmul: overwrite where `condition` holds on rs1, rs2, else accumulate
  bool pure = false;                // the result depends on the operands alone: may be shared
  bool movable = false;             // and moved out of a loop or branch
  std::uint32_t file = 0;
  std::uint32_t line = 0;

  // loop: rs1 = begin (0: zero), rs2 = end, rs3 = step (0: in.imm), rd = index.   branch: `condition` on rs1, rs2.
  Cond::Kind condition = Cond::Kind::ne;
  bool runs = false;             // of a loop: at least one turn is certain
  std::unique_ptr<Block> body;   // loop, then-branch, kernel, scope
  std::unique_ptr<Block> other;  // else-branch
  // print: of rs1, or of the view that the fields of a view node describe (in.op is view, the template one of
  // Program::print_templates).
  bool full = false;         // of a print
  bool shown = false;        // of an instruction: what it computes is printed, and nothing else needs it
  std::string name;          // kernel, scope, label of a print
  std::uint32_t allow = 0;   // scope: number of what it allows, from 1
  std::uint32_t serial = 0;  // of a loop or kernel
  PipeId pipe = 0;           // of the pipe events, with `buffer`
  BufferId buffer = 0;
};

struct Block {
  std::vector<Node> nodes;
};

// A tile's memory, or one generation of a pipe (which has no address of its own).
struct Allocation {
  isa::Space space{};
  std::int64_t address = 0;
  std::int64_t bytes = 0;  // of all slots
  int slots = 1;
  PipeId pipe = 0;              // 0: a plain tile
  bool generation = false;      // of `pipe`, between acquire and commit or wait and release
  bool filled = false;          // a generation that was waited for: holds what was committed
  bool ended = false;           // a generation that was committed or released
  bool untracked = false;       // level 0 or other cores reach it too
  std::uint32_t home_loop = 0;  // serial of the innermost loop around the declaration; 0: none
  std::uint32_t kernel = 0;
  std::uint32_t file = 0, line = 0;
};

struct PipeInfo {
  int depth = 1;
  bool one_engine = false;  // a ring
  std::int64_t slot_bytes = 0;
  ValueId write_slot = 0;  // byte offset of the slot that the next acquire gives
  ValueId read_slot = 0;
  std::uint32_t kernel = 0;
  BufferId allocation = 0;  // of its slots
  std::uint32_t file = 0, line = 0;
  std::int64_t acquires = 0, waits = 0;  // recorded, of either
};

// A kernel: what is set up where it begins and given back where it ends. One per entry stands for the code outside any.
struct KernelInfo {
  std::uint32_t parent = 0;
  std::vector<PipeId> pipes;
  std::vector<ValueId> slot_values;          // start at zero
  std::vector<std::uint32_t> semaphores;     // virtual
  std::array<std::int64_t, 4> memory_top{};  // of each space, where it began
  // The most that kernels inside took: in a loop they run again, and what is declared beside them lies above.
  std::array<std::int64_t, 4> inner_top{};
};

struct EntryInfo {
  std::string name;
  std::unique_ptr<Block> body;
  std::uint32_t kernel = 0;
  int arguments = 0;
};

struct ValueInfo {
  bool variable = false;  // assigned more than once
  isa::Opcode op = isa::Opcode::nop;
  ValueId a = 0, b = 0;  // operands of the defining instruction
  std::int64_t imm = 0;
};

// Everything recorded. Index 0 of most tables is unused.
struct Program {
  std::string name;
  std::vector<EntryInfo> entries;
  std::vector<ValueInfo> values{2};  // 0 is x0, 1 (constants_base_value) is x2
  ViewId views = 1;
  std::vector<BufferId> view_tiles;  // by ViewId, as far as it goes; 0: of no tile
  std::vector<Allocation> allocations{1};
  std::vector<PipeInfo> pipes{1};
  std::vector<KernelInfo> kernels{1};
  std::vector<std::uint32_t> semaphore_kernel{0, 0, 0};  // of each virtual semaphore; 1 and 2 are the barrier's
  std::uint32_t loops = 1;
  std::vector<isa::ViewTemplate> templates;
  std::vector<isa::ViewTemplate> print_templates;  // follow the others in the image, whose numbers stay
  std::vector<isa::Constant> constants;
  std::vector<std::string> files;
  std::vector<isa::Allow> allows{1};  // without their ranges

  ValueId new_value(ValueInfo info = {}) {
    values.push_back(info);
    return static_cast<ValueId>(values.size() - 1);
  }
  std::uint32_t new_semaphore(std::uint32_t kernel) {
    semaphore_kernel.push_back(kernel);
    return static_cast<std::uint32_t>(semaphore_kernel.size() - 1);
  }
};

// Virtual semaphores that barrier() keeps for itself in every program: always semaphores 0 and 1 of the machine.
inline constexpr int barrier_arrive = 1;
inline constexpr int barrier_go = 2;
inline constexpr int first_free_semaphore = 2;

// The value that x2 holds at launch: the address of the image's constants.
inline constexpr ValueId constants_base_value = 1;

// SMEM: launch arguments first, then tiles; saved registers at the top end.
inline constexpr int max_arguments = 64;
inline constexpr std::int64_t smem_reserved_bytes = max_arguments * 8;

// Its place in the list, to which it is added if it is not there.
std::uint32_t template_number(std::vector<isa::ViewTemplate>& all, const isa::ViewTemplate& shape);

bool is_engine_node(const Node& node);
EngineKey key_of(const Node& node);  // of an instruction; sequencer_key if no engine runs it

}  // namespace heddle::sdk
