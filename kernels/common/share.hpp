// SPDX-License-Identifier: Apache-2.0
// How row-wise kernels cut their work: tiles that fit the scratchpad, dealt out to the cores.
#pragma once
#include <algorithm>
#include <cstdint>

#include "sdk/sdk.hpp"

namespace heddle::kernels {

// This core's part of `n` equal pieces of work, as the steps of a pipeline: piece(i) for i = 0 .. count-1.
class Share {
 public:
  Share(sdk::KernelBuilder& k, sdk::Scalar n)
      : first_(k.core_id()), stride_(k.num_cores()), count_(sdk::max(0, sdk::ceil_div(n - first_, stride_))) {}
  sdk::Steps steps() const { return {count_}; }
  sdk::Scalar count() const { return count_; }
  sdk::Scalar piece(sdk::Scalar i) const { return first_ + i * stride_; }

 private:
  sdk::Scalar first_, stride_, count_;
};

// DMA engines for each of `inputs` streams of loads: one engine alone does not fill a fast memory.
inline int load_engines(const sdk::Target& target, int inputs) {
  return std::clamp((target.dma_engines - 1) / inputs, 1, 2);
}

struct TileSize {
  std::int64_t rows = 1;
  std::int64_t cols = 1;
};

// Elements a step of a memory-bound kernel should take, of `total` in all, with `live` bytes held for each: enough that
// a step lasts longer than a transfer takes to start (some 2000 cycles at two operands of two bytes each), few enough
// that every core has several steps to overlap, and that all slots fit half the scratchpad.
inline std::int64_t step_elements(const sdk::Target& target, std::int64_t total, std::int64_t live) {
  const std::int64_t bytes_per_cycle = target.hbm_bytes_per_second / std::max<std::int64_t>(1, target.clock_hz);
  const std::int64_t lasting = std::max<std::int64_t>(4096, bytes_per_cycle / target.cores * 512);
  const std::int64_t share = std::max<std::int64_t>(8192, total / target.cores / 8);
  return std::max<std::int64_t>(64, std::min({target.spm_bytes / 2 / live, lasting, share}));
}

// Tile of a [rows, cols] tensor for an elementwise kernel that holds `live` bytes for each element of the tile. Prefers
// whole rows; cuts columns so that every core has work even for a single row.
inline TileSize elementwise_tile(const sdk::Target& target, std::int64_t rows, std::int64_t cols, std::int64_t live) {
  const std::int64_t elements = step_elements(target, rows * cols, live);
  const std::int64_t share = (cols + target.cores - 1) / target.cores;
  TileSize t;
  t.cols = std::min(rows >= target.cores ? cols : (share + 63) / 64 * 64, elements);
  t.cols = std::max<std::int64_t>(1, std::min(t.cols, cols));
  t.rows = std::clamp<std::int64_t>(elements / t.cols, 1, std::max<std::int64_t>(1, rows / target.cores));
  return t;
}

// Rows of a tile for a kernel that needs whole rows of `cols` elements at once and holds `live` bytes for each element;
// a multiple of the vector unit's sublanes where there are so many.
inline std::int64_t whole_rows(const sdk::Target& target, std::int64_t rows, std::int64_t cols, std::int64_t live) {
  const std::int64_t step = std::max<std::int64_t>(1, step_elements(target, rows * cols, live) / cols);
  const std::int64_t n = std::clamp<std::int64_t>(rows / target.cores, 1, step);
  return n > target.vpu_sublanes ? n / target.vpu_sublanes * target.vpu_sublanes : n;
}

}  // namespace heddle::kernels
