// SPDX-License-Identifier: Apache-2.0
// Passes over whole rows.
#pragma once
#include "kernels/common/share.hpp"

namespace heddle::kernels {

// Tiles of whole rows of x, dealt to the cores, and the same rows of other tensors.
class RowPass {
 public:
  // `live` bytes are held for each element of a tile.
  RowPass(sdk::KernelBuilder& k, const sdk::Tensor& x, std::int64_t live)
      : rows_(whole_rows(k.target(), x.extent(0).capacity, x.extent(1).capacity, live)),
        engines_(load_engines(k.target(), 1)),
        mine_(k, x.tiled(rows_, x.extent(1).capacity).count()) {}
  sdk::Steps steps() const { return mine_.steps(); }
  auto in(const sdk::Tensor& t) const {
    return sdk::in([grid = grid_of(t), mine = mine_](sdk::Scalar i) { return grid[mine.piece(i)]; }).split(engines_);
  }
  auto column(const sdk::Tensor& t) const {
    return sdk::in([grid = grid_of(t), mine = mine_](sdk::Scalar i) { return grid[mine.piece(i)]; });
  }
  auto out(const sdk::Tensor& t) const {
    return sdk::out([grid = grid_of(t), mine = mine_](sdk::Scalar i) { return grid[mine.piece(i)]; });
  }

 private:
  sdk::TileGrid grid_of(const sdk::Tensor& t) const { return t.tiled(rows_, t.extent(1).capacity); }
  std::int64_t rows_;
  int engines_;
  Share mine_;
};

}  // namespace heddle::kernels
