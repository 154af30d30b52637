// SPDX-License-Identifier: Apache-2.0
// Tensors in the chip's global memory (HBM): an address, a dtype, up to four extents and strides. Cutting one gives
// another tensor that remembers where it lies in the whole, so that "the rows of A that this tile of C needs" can be
// said. Data in HBM is not tracked: what one kernel stores, another may load after fence() (same core) or barrier()
// (any core).
#pragma once
#include <vector>

#include "sdk/tile/shape.hpp"

namespace heddle::sdk {

class TileGrid;
class Blocks;

class Tensor {
 public:
  Tensor() = default;
  // Contiguous, last dimension fastest. `address` in bytes, aligned to the element.
  Tensor(Scalar address, DType dtype, Shape shape);
  // Strides in elements, one a dimension.
  Tensor(Scalar address, DType dtype, Shape shape, std::vector<Scalar> strides, Loc loc = Loc::current());

  DType dtype() const { return dtype_; }
  int rank() const { return shape_.rank(); }
  const Shape& shape() const { return shape_; }
  const Extent& extent(int d) const { return shape_[d]; }
  Scalar size(int d) const { return shape_[d].size; }
  Scalar stride(int d) const { return strides_[static_cast<std::size_t>(d)]; }
  Scalar address() const { return address_; }
  // Where this tensor begins in the one it was first cut from, in elements of dimension d.
  Scalar begin(int d) const { return begin_[static_cast<std::size_t>(d)]; }

  // Elements [begin, begin + n) of dimension d; n is not clamped.
  Tensor slice(int d, Scalar begin, Extent n, Loc loc = Loc::current()) const;
  // Block number `index` of `n` elements along d; the last one is as short as what remains. index is below the number
  // of blocks: nothing checks it, so that sizes which divide stay host numbers.
  Tensor block(int d, Scalar index, std::int64_t n, Loc loc = Loc::current()) const;
  // Blocks along every dimension at once: block({i, j}, {64, 64}).
  Tensor tile(std::vector<Scalar> index, std::vector<std::int64_t> sizes, Loc loc = Loc::current()) const;
  // Element i of dimension d, which goes away (rank at least 2).
  Tensor at(int d, Scalar i, Loc loc = Loc::current()) const;
  Tensor operator[](Scalar i) const { return at(0, i); }
  Tensor transposed(int d0, int d1) const;
  Tensor transposed() const { return transposed(rank() - 2, rank() - 1); }
  // Same bytes, other extents; the tensor must be contiguous.
  Tensor reshape(Shape shape, Loc loc = Loc::current()) const;
  // A new outermost dimension of size 1.
  Tensor unsqueeze() const;
  // Same address and extents read as another dtype of the same width.
  Tensor as(DType dtype, Loc loc = Loc::current()) const;

  // Grid of tiles of the last two dimensions (rank 2) or of the last (rank 1): see for_each_tile.
  TileGrid tiled(std::int64_t m, std::int64_t n, Loc loc = Loc::current()) const;
  TileGrid tiled(std::int64_t n, Loc loc = Loc::current()) const;
  // Blocks of this tensor along dimension d, for pipeline().
  Blocks blocks(int d, std::int64_t n, Loc loc = Loc::current()) const;
  // A[m,k]: the rows that tile c of C[m,n] covers, in blocks of tk columns.   B[k,n]: its columns, in blocks of tk
  // rows.
  Blocks row_block(const Tensor& c, std::int64_t tk, Loc loc = Loc::current()) const;
  Blocks col_block(const Tensor& c, std::int64_t tk, Loc loc = Loc::current()) const;

 private:
  friend class TileGrid;
  Scalar address_ = 0;
  DType dtype_ = DType::fp32;
  Shape shape_;
  std::array<Scalar, isa::max_rank> strides_{};
  std::array<Scalar, isa::max_rank> begin_{};
};

// The tiles that cover a tensor, ragged at the far edges.
class TileGrid {
 public:
  TileGrid(Tensor whole, std::vector<std::int64_t> sizes) : whole_(std::move(whole)), sizes_(std::move(sizes)) {}
  Scalar count() const;               // tiles in all
  Scalar count(int d) const;          // along dimension d
  Tensor operator[](Scalar i) const;  // number i, last dimension fastest
  const Tensor& whole() const { return whole_; }

 private:
  Tensor whole_;
  std::vector<std::int64_t> sizes_;
};

// A run of equal blocks along one dimension: what a pipeline loads step by step.
class Blocks {
 public:
  Blocks(Tensor whole, int d, std::int64_t n) : whole_(std::move(whole)), d_(d), n_(n) {}
  Scalar count() const;
  Tensor operator[](Scalar i) const;

 private:
  Tensor whole_;
  int d_;
  std::int64_t n_;
};

}  // namespace heddle::sdk
