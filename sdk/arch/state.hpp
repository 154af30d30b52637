// SPDX-License-Identifier: Apache-2.0
// What a Recorder holds while it records. Private to sdk/.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sdk/arch/program.hpp"
#include "sdk/arch/recorder.hpp"

namespace heddle::sdk {

struct Frame {
  NodeKind kind{};
  Block* block = nullptr;
  Node node;                 // the compound to be appended when the frame closes
  std::vector<Node> at_end;  // of a loop body: slot rotation
  std::uint32_t previous_kernel = 0;
};

struct Recorder::State {
  Target target;
  Program program;
  std::vector<Frame> frames;  // frames[0] is the entry's
  std::uint32_t kernel = 0;   // current
  std::array<std::int64_t, 4> memory_top{};
  std::map<std::string, std::uint32_t> file_numbers;
  std::uint32_t file = 0, line = 0;
  std::set<ViewId> changed_views;  // by level 0, after they were made: not to be shared
  bool entry_open = false;
  bool finished = false;
  std::size_t entry = 0;  // being recorded
  std::array<std::int64_t, 4> outer_memory_top{};
  std::vector<Frame> outer_frames;  // main's, while another entry is recorded

  Block& block() { return *frames.back().block; }
  // The innermost open loop of the current kernel; 0: none.
  std::uint32_t innermost_loop() const {
    for (auto f = frames.rbegin(); f != frames.rend() && f->kind != NodeKind::kernel; ++f)
      if (f->kind == NodeKind::loop) return f->node.serial;
    return 0;
  }
  // Whether kernel `serial` is the current one or around it.
  bool kernel_is_open(std::uint32_t serial) const {
    for (std::uint32_t k = kernel; k != 0; k = program.kernels[k].parent)
      if (k == serial) return true;
    return false;
  }
  Frame* loop_frame(std::uint32_t serial) {
    for (Frame& f : frames)
      if (f.kind == NodeKind::loop && f.node.serial == serial) return &f;
    return nullptr;
  }
};

// The nodes that move `slot`, a byte offset, to the next of `slots`.
std::vector<Node> rotate_slot(Program& program, ValueId slot, std::int64_t slot_bytes, int slots);

// ---- Finalisation, in order (each file says what it does)
void place_pipe_events(Program& program);
void order_tiles(Program& program);
void name_tiles(Program& program);
void share_and_hoist(Program& program, const std::set<ViewId>& changed_views);
isa::ProgramImage assemble(Program& program, const Target& target);

}  // namespace heddle::sdk
