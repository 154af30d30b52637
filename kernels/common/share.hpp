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
  sdk::Scalar piece(sdk::Scalar i) const { return first_ + i * stride_; }

 private:
  sdk::Scalar first_, stride_, count_;
};

struct TileSize {
  std::int64_t rows = 1;
  std::int64_t cols = 1;
};

// Tile of a [rows, cols] tensor for an elementwise kernel that holds `live` bytes for each element of the tile. Prefers
// whole rows; cuts columns so that every core has work even for a single row.
inline TileSize elementwise_tile(const sdk::Target& target, std::int64_t rows, std::int64_t cols, std::int64_t live) {
  const std::int64_t elements = std::max<std::int64_t>(64, std::min<std::int64_t>(target.spm_bytes / 2 / live, 32768));
  const std::int64_t share = (cols + target.cores - 1) / target.cores;
  TileSize t;
  t.cols = std::min(rows >= target.cores ? cols : (share + 63) / 64 * 64, elements);
  t.cols = std::max<std::int64_t>(1, std::min(t.cols, cols));
  t.rows = std::clamp<std::int64_t>(elements / t.cols, 1, std::max<std::int64_t>(1, rows / target.cores));
  return t;
}

// Rows of a tile for a kernel that needs whole rows at once and holds `row_bytes` for each.
inline std::int64_t whole_rows(const sdk::Target& target, std::int64_t rows, std::int64_t row_bytes) {
  const std::int64_t fit = std::max<std::int64_t>(1, target.spm_bytes * 3 / 4 / row_bytes);
  return std::clamp<std::int64_t>(rows / target.cores, 1, std::min<std::int64_t>(fit, 64));
}

}  // namespace heddle::kernels
