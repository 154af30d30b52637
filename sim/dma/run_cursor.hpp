// SPDX-License-Identifier: Apache-2.0
// The order in which a DMA engine walks through a transfer, cut into contiguous runs.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sim/exec/engine_op.hpp"

namespace heddle::dma {

// Which sides lie outside the engine's core. Bytes must be contiguous there to share a packet; the core's own memories
// take any stride.
struct FarSides {
  bool source = false;
  bool destination = false;
};

struct Piece {
  std::uint64_t source = 0;  // byte addresses; fill: 0
  std::uint64_t destination = 0;
  std::uint32_t bytes = 0;
  std::uint32_t useful = 0;  // of them, those asked for: fewer where an aligned packet reaches further
  bool starts_run = false;
};

// Walks in row-major order of the destination; a transpose to near memory in that of the source, so that far memory is
// read along its rows. Runs are as long as the far sides allow (with none, as long as both sides allow). Gather and
// scatter take the indices of dimension 0; none of them may be out of range.
class RunCursor {
 public:
  RunCursor() = default;
  // `merge_rows` false: a run is a row of the last dimension at most, where a side is far.
  RunCursor(const exec::EngineOp& op, FarSides far, std::vector<std::int32_t> indices, bool merge_rows = true);

  std::int64_t runs() const { return runs_; }
  std::int64_t run_bytes() const { return run_bytes_; }
  std::int64_t total_bytes() const { return runs_ * run_bytes_; }
  bool done() const { return run_ == runs_; }
  // Where the next bytes lie, and how many the run has left.
  std::uint64_t source_address() const { return address(source_); }
  std::uint64_t destination_address() const { return address(destination_); }
  std::int64_t run_left() const { return run_bytes_ - inside_; }
  // The next bytes, at most `most`, never past the end of a run.
  Piece next(std::uint32_t most);

 private:
  struct Side {
    std::uint64_t base = 0;
    std::array<std::int64_t, isa::max_rank> stride{};  // elements
    std::int64_t offset = 0;                           // of the current run, in elements
    bool indexed = false;
  };
  void step();
  std::uint64_t address(const Side& s) const;
  std::int64_t at(const Side& s, int dim, std::int64_t i) const;

  std::array<std::int64_t, isa::max_rank> size_{1, 1, 1, 1};
  std::array<std::int64_t, isa::max_rank> position_{};
  Side source_, destination_;
  bool has_source_ = true;
  int bits_ = 8;
  int outer_ = 0;  // dimensions 0 .. outer_-1 are walked, the rest are the run
  int index_dim_ = 0;
  std::vector<std::int32_t> indices_;
  std::int64_t runs_ = 0, run_ = 0;
  std::int64_t run_bytes_ = 0, inside_ = 0;  // bytes of the run already given
};

}  // namespace heddle::dma
