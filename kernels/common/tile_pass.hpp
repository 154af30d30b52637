// SPDX-License-Identifier: Apache-2.0
// A kernel that passes once over tensors of the same rows: tiles dealt to the cores, in each step the same tile of
// every tensor.
#pragma once
#include "kernels/common/share.hpp"

namespace heddle::kernels {

class TilePass {
  // The tile of step i. A tensor narrower than a tile is one tile wide.
  auto tiles_of(const sdk::Tensor& t) const {
    const std::int64_t cols = std::min(tile_.cols, t.extent(1).capacity);
    return [grid = t.tiled(tile_.rows, cols), mine = mine_](sdk::Scalar i) { return grid[mine.piece(i)]; };
  }

 public:
  // Over the tiles of x. `loads` of the tensors come in over several DMA engines.
  TilePass(sdk::KernelBuilder& k, const sdk::Tensor& x, TileSize tile, int loads)
      : tile_(tile), engines_(load_engines(k.target(), loads)), mine_(k, x.tiled(tile.rows, tile.cols).count()) {}
  // Whole rows of x; `live` bytes are held for each element of a tile.
  static TilePass of_rows(sdk::KernelBuilder& k, const sdk::Tensor& x, std::int64_t live) {
    const std::int64_t cols = x.extent(1).capacity;
    return {k, x, {whole_rows(k.target(), x.extent(0).capacity, cols, live), cols}, 1};
  }
  // Tiles of any width; `live` as above.
  static TilePass of_elements(sdk::KernelBuilder& k, const sdk::Tensor& x, std::int64_t live, int loads) {
    return {k, x, elementwise_tile(k.target(), x.extent(0).capacity, x.extent(1).capacity, live), loads};
  }

  sdk::Steps steps() const { return mine_.steps(); }
  // A tensor of one column, too small to split.
  auto column(const sdk::Tensor& t) const { return sdk::in(tiles_of(t)); }
  auto in(const sdk::Tensor& t) const { return column(t).split(engines_); }
  auto out(const sdk::Tensor& t) const { return sdk::out(tiles_of(t)); }

 private:
  TileSize tile_;
  int engines_;
  Share mine_;
};

}  // namespace heddle::kernels
