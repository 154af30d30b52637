// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/execute.hpp"

#include <algorithm>
#include <vector>

#include "sim/exec/engine_values.hpp"
#include "sim/exec/validate.hpp"

namespace heddle::exec {

struct Executor::State {
  State(const config::ChipSpec& chip, MachineMemory& mem, std::unique_ptr<IMxuExecutor> other)
      : memory(mem),
        other_mxus(std::move(other)),
        mxus(static_cast<std::size_t>(chip.core.mxu.count)),
        tiles(mxus * mem.cores() * mem.chips()) {}

  RestingTile& tile(const EngineOp& op) {
    return tiles[(static_cast<std::size_t>(op.chip) * memory.cores() + op.core) * mxus + op.engine];
  }

  MachineMemory& memory;
  std::unique_ptr<IMxuExecutor> other_mxus;
  std::size_t mxus;
  std::vector<RestingTile> tiles;
  MxuValues mxu;
};

Executor::Executor(const config::ChipSpec& chip, MachineMemory& memory, std::unique_ptr<IMxuExecutor> mxus)
    : state_(std::make_unique<State>(chip, memory, std::move(mxus))) {}
Executor::~Executor() = default;

void Executor::begin_launch() {
  for (RestingTile& t : state_->tiles) t.loaded = false;
  if (state_->other_mxus != nullptr) state_->other_mxus->begin_launch();
}

void Executor::empty_tiles(const EngineOp& op, const isa::ProgramImage& image) {
  if (!state_->memory.tracks_written()) return;
  for (const isa::TileUse& use : isa::uses_of(image, op.pc)) {
    const isa::TileInfo& tile = image.tiles[use.tile];
    const std::uint64_t base = op.view(use.operand).base;
    if (!use.fresh || base < tile.base || base - tile.base >= tile.slot_bytes * tile.slots) continue;
    const std::uint64_t slot = tile.base + (base - tile.base) / tile.slot_bytes * tile.slot_bytes;
    const std::uint64_t end = std::min(slot + tile.slot_bytes, state_->memory.capacity(tile.space));
    if (slot < end) state_->memory.forget_written({tile.space, op.chip, op.core, slot, end - slot});
  }
}

void Executor::execute(const EngineOp& op) {
  using isa::Opcode;
  if (op.op == Opcode::dma_sync || op.op == Opcode::mxu_sync || op.op == Opcode::vpu_sync || is_empty(op)) return;
  State& s = *state_;
  if (op.unit == isa::Unit::dma)
    execute_dma(op, s.memory);
  else if (op.unit == isa::Unit::vpu)
    execute_vpu(op, s.memory);
  else if (s.other_mxus != nullptr)
    s.other_mxus->execute(op, s.memory);
  else if (op.op == Opcode::mxu_load)
    s.mxu.load(op, s.memory, s.tile(op));
  else
    s.mxu.matmul(op, s.memory, s.tile(op));
}

}  // namespace heddle::exec
