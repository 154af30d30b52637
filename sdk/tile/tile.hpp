// SPDX-License-Identifier: Apache-2.0
// Tiles in a core's own memories. Spm, Acc and Smem differ by type, so that an operand in the wrong memory does not
// compile. A Tile is a view of an allocation: cutting, transposing and reshaping are free and give another view of the
// same bytes. What engines do with tiles is tracked: a write is seen by the reads recorded after it, whichever engine
// makes them.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sdk/arch/region.hpp"
#include "sdk/tile/shape.hpp"

namespace heddle::sdk {

class Recorder;

// Any of Spm, Acc and Smem.
class Tile {
 public:
  Space space() const { return space_; }
  DType dtype() const { return dtype_; }
  int rank() const { return shape_.rank(); }
  const Shape& shape() const { return shape_; }
  const Extent& extent(int d) const { return shape_[d]; }
  Scalar size(int d) const { return shape_[d].size; }
  std::int64_t capacity(int d) const { return shape_[d].capacity; }
  std::int64_t stride(int d) const { return strides_[static_cast<std::size_t>(d)]; }
  BufferId buffer() const { return buffer_; }
  Scalar base() const { return base_; }            // run-time part of the byte address
  std::int64_t offset() const { return offset_; }  // and its constant part
  bool is_remote() const { return remote_; }
  Scalar remote_core() const { return core_; }
  Scalar remote_chip() const { return chip_; }

  // What part of the allocation the tile covers.
  const Region& region() const { return region_; }

 protected:
  friend class Recorder;
  friend class TileBuilder;
  void cut(int d, const Scalar& begin, const Extent& n, const Loc& loc);
  void drop(int d, const Scalar& index, const Loc& loc);
  void swap(int d0, int d1, const Loc& loc);
  void change_shape(const Shape& shape, const Loc& loc);
  void change_dtype(DType dtype, const Loc& loc);
  void set_remote(const Scalar& core, const Scalar& chip);
  void add_dimension(int at);

  Space space_ = Space::spm;
  DType dtype_ = DType::fp32;
  Shape shape_;
  std::array<std::int64_t, isa::max_rank> strides_{};
  BufferId buffer_ = 0;
  Scalar base_ = 0;
  std::int64_t offset_ = 0;
  bool remote_ = false;
  Scalar core_ = 0;
  Scalar chip_ = 0;
  Region region_;
  std::array<std::int8_t, isa::max_rank> root_{0, 1, 2, 3};  // root dimension of each of ours, or -1
};

template <Space S>
class Ref : public Tile {
 public:
  static constexpr Space memory = S;
  Ref() { space_ = S; }

  // Elements [begin, begin + n) of dimension d. HDL-SDK-11 when constants show that they lie outside.
  Ref slice(int d, Scalar begin, Extent n, Loc loc = Loc::current()) const {
    Ref r = *this;
    r.cut(d, begin, n, loc);
    return r;
  }
  // Of the last two dimensions.
  Ref rows(Scalar begin, Extent n, Loc loc = Loc::current()) const { return slice(rank() - 2, begin, n, loc); }
  Ref cols(Scalar begin, Extent n, Loc loc = Loc::current()) const { return slice(rank() - 1, begin, n, loc); }
  // One row or column, kept as a dimension of size 1.
  Ref row(Scalar i, Loc loc = Loc::current()) const { return rows(i, 1, loc); }
  Ref col(Scalar j, Loc loc = Loc::current()) const { return cols(j, 1, loc); }
  // Element i of dimension d, which goes away.
  Ref at(int d, Scalar i, Loc loc = Loc::current()) const {
    Ref r = *this;
    r.drop(d, i, loc);
    return r;
  }
  Ref operator[](Scalar i) const { return at(0, i); }
  Ref transposed(int d0, int d1, Loc loc = Loc::current()) const {
    Ref r = *this;
    r.swap(d0, d1, loc);
    return r;
  }
  Ref transposed(Loc loc = Loc::current()) const { return transposed(rank() - 2, rank() - 1, loc); }
  // Same bytes, other extents (static and contiguous: HDL-SDK-12 otherwise).
  Ref reshape(Shape shape, Loc loc = Loc::current()) const {
    Ref r = *this;
    r.change_shape(shape, loc);
    return r;
  }
  // The first sizes.size() elements of each dimension: a tile cut to a ragged shape.
  Ref first(Shape sizes, Loc loc = Loc::current()) const {
    Ref r = *this;
    for (int d = 0; d < sizes.rank(); ++d) r.cut(d, 0, sizes[d], loc);
    return r;
  }
  // A new dimension of size 1 before dimension d (as numpy's expand_dims).
  Ref unsqueeze(int d = 0) const {
    Ref r = *this;
    r.add_dimension(d);
    return r;
  }
  // Read as another dtype of the same width.
  Ref as(DType dtype, Loc loc = Loc::current()) const {
    Ref r = *this;
    r.change_dtype(dtype, loc);
    return r;
  }
  // The same tile in another core's (chip's) memory. Not tracked: order it with barrier() or semaphores of your own.
  Ref on_core(Scalar core, Scalar chip = 0) const {
    static_assert(S != Space::acc, "accumulators are private to their core: only SPM and SMEM have remote views");
    Ref r = *this;
    r.set_remote(core, chip);
    return r;
  }

 private:
  friend class TileBuilder;
};

using Spm = Ref<Space::spm>;
using Acc = Ref<Space::acc>;
using Smem = Ref<Space::smem>;

}  // namespace heddle::sdk
