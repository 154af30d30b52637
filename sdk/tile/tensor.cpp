// SPDX-License-Identifier: Apache-2.0
#include "sdk/tile/tensor.hpp"

#include <bit>
#include <utility>

#include "sdk/arch/recorder.hpp"

namespace heddle::sdk {
namespace {

std::size_t at_index(int d) { return static_cast<std::size_t>(d); }

// Bytes that `elements` steps of `stride` elements span.
Scalar span_bytes(const Scalar& elements, const Scalar& stride, DType dtype) {
  if (bits(dtype) < 8) return (elements * stride) >> 1;
  return elements * (stride * (bits(dtype) / 8));
}

}  // namespace

Tensor::Tensor(Scalar address, DType dtype, Shape shape) : address_(address), dtype_(dtype), shape_(shape) {
  Scalar stride = 1;
  for (int d = rank() - 1; d >= 0; --d) {
    strides_[at_index(d)] = stride;
    if (d > 0) stride = stride * shape_[d].size;
  }
}

Tensor::Tensor(Scalar address, DType dtype, Shape shape, std::vector<Scalar> strides, Loc loc)
    : address_(address), dtype_(dtype), shape_(shape) {
  if (static_cast<int>(strides.size()) != rank())
    Recorder::error_at(loc, "HDL-SDK-10", fmt::format("{} strides for {} dimensions", strides.size(), rank()));
  for (int d = 0; d < rank(); ++d) strides_[at_index(d)] = strides[at_index(d)];
}

Tensor Tensor::slice(int d, Scalar begin, Extent n, Loc loc) const {
  if (d < 0 || d >= rank())
    Recorder::error_at(loc, "HDL-SDK-10", fmt::format("dimension {} of a tensor of rank {}", d, rank()));
  const Extent& whole = extent(d);
  if (begin.is_constant() && n.is_static() && whole.is_static() &&
      (begin.constant() < 0 || begin.constant() + n.capacity > whole.capacity))
    Recorder::error_at(loc, "HDL-SDK-11",
                       fmt::format("elements {}..{} of a dimension of {}", begin.constant(),
                                   begin.constant() + n.capacity, whole.capacity));
  Tensor t = *this;
  t.address_ = address_ + span_bytes(begin, stride(d), dtype_);
  if (!n.is_static() && n.capacity > whole.capacity) n.capacity = whole.capacity;
  t.shape_[d] = n;
  t.begin_[at_index(d)] = begin_[at_index(d)] + begin;
  return t;
}

Tensor Tensor::block(int d, Scalar index, std::int64_t n, Loc loc) const {
  if (d < 0 || d >= rank())
    Recorder::error_at(loc, "HDL-SDK-10", fmt::format("dimension {} of a tensor of rank {}", d, rank()));
  if (n <= 0) Recorder::error_at(loc, "HDL-SDK-10", fmt::format("blocks of {} elements", n));
  const Extent& whole = extent(d);
  const Scalar begin = index * n;
  Extent size = n;
  if (whole.is_static() && whole.capacity <= n)
    size = whole;
  else if (!whole.is_static() || whole.capacity % n != 0)
    size = Extent(min(whole.size - begin, n), n);
  Tensor t = *this;
  t.shape_[d] = size;
  t.begin_[at_index(d)] = begin_[at_index(d)] + begin;
  // One multiplication by a value that does not change from block to block.
  const Scalar step = bits(dtype_) < 8 ? (stride(d) * n) >> 1 : stride(d) * (n * (bits(dtype_) / 8));
  t.address_ = address_ + index * step;
  return t;
}

Tensor Tensor::tile(std::vector<Scalar> index, std::vector<std::int64_t> sizes, Loc loc) const {
  if (static_cast<int>(index.size()) != rank() || static_cast<int>(sizes.size()) != rank())
    Recorder::error_at(loc, "HDL-SDK-10",
                       fmt::format("{} indices and {} sizes for {} dimensions", index.size(), sizes.size(), rank()));
  Tensor t = *this;
  for (int d = 0; d < rank(); ++d) t = t.block(d, index[at_index(d)], sizes[at_index(d)], loc);
  return t;
}

Tensor Tensor::at(int d, Scalar i, Loc loc) const {
  if (rank() < 2) Recorder::error_at(loc, "HDL-SDK-10", "a tensor of rank 1 keeps its dimension: use slice");
  const Tensor one = slice(d, i, 1, loc);
  Tensor t;
  t.address_ = one.address_;
  t.dtype_ = dtype_;
  for (int s = 0; s < rank(); ++s) {
    if (s == d) continue;
    const int to = t.rank();
    t.shape_.append(shape_[s]);
    t.strides_[at_index(to)] = strides_[at_index(s)];
    t.begin_[at_index(to)] = begin_[at_index(s)];
  }
  return t;
}

Tensor Tensor::transposed(int d0, int d1) const {
  Tensor t = *this;
  std::swap(t.shape_[d0], t.shape_[d1]);
  std::swap(t.strides_[at_index(d0)], t.strides_[at_index(d1)]);
  std::swap(t.begin_[at_index(d0)], t.begin_[at_index(d1)]);
  return t;
}

Tensor Tensor::reshape(Shape shape, Loc loc) const {
  if (shape_.is_static() && shape.is_static() && shape_.capacity() != shape.capacity())
    Recorder::error_at(loc, "HDL-SDK-12",
                       fmt::format("{} elements reshaped to {}", shape_.capacity(), shape.capacity()));
  return Tensor(address_, dtype_, shape);
}

Tensor Tensor::unsqueeze() const {
  Shape shape;
  shape.append(1);
  std::vector<Scalar> strides{0};
  for (int d = 0; d < rank(); ++d) {
    shape.append(shape_[d]);
    strides.push_back(stride(d));
  }
  return {address_, dtype_, shape, strides};
}

Tensor Tensor::as(DType dtype, Loc loc) const {
  if (bits(dtype) != bits(dtype_))
    Recorder::error_at(loc, "HDL-SDK-16", fmt::format("{} read as {}: widths differ", name(dtype_), name(dtype)));
  Tensor t = *this;
  t.dtype_ = dtype;
  return t;
}

TileGrid Tensor::tiled(std::int64_t m, std::int64_t n, Loc loc) const {
  if (rank() != 2) Recorder::error_at(loc, "HDL-SDK-10", fmt::format("tiled(m, n) of a tensor of rank {}", rank()));
  return {*this, {m, n}};
}
TileGrid Tensor::tiled(std::int64_t n, Loc loc) const {
  if (rank() != 1) Recorder::error_at(loc, "HDL-SDK-10", fmt::format("tiled(n) of a tensor of rank {}", rank()));
  return {*this, {n}};
}

Blocks Tensor::blocks(int d, std::int64_t n, Loc loc) const {
  if (d < 0 || d >= rank() || n <= 0)
    Recorder::error_at(loc, "HDL-SDK-10", fmt::format("blocks of {} along dimension {}, rank {}", n, d, rank()));
  return {*this, d, n};
}

Blocks Tensor::row_block(const Tensor& c, std::int64_t tk, Loc loc) const {
  if (rank() != 2 || c.rank() != 2) Recorder::error_at(loc, "HDL-SDK-10", "row_block takes matrices");
  return slice(0, c.begin(0), c.extent(0), loc).blocks(1, tk, loc);
}
Blocks Tensor::col_block(const Tensor& c, std::int64_t tk, Loc loc) const {
  if (rank() != 2 || c.rank() != 2) Recorder::error_at(loc, "HDL-SDK-10", "col_block takes matrices");
  return slice(1, c.begin(1), c.extent(1), loc).blocks(0, tk, loc);
}

Scalar TileGrid::count(int d) const { return ceil_div(whole_.size(d), sizes_[at_index(d)]); }
Scalar TileGrid::count() const {
  Scalar n = 1;
  for (int d = 0; d < whole_.rank(); ++d) n = n * count(d);
  return n;
}
Tensor TileGrid::operator[](Scalar i) const {
  if (whole_.rank() == 1) return whole_.block(0, i, sizes_[0]);
  const Scalar columns = count(1);
  // i is not negative: a shift divides by a power of two.
  const bool power = columns.is_constant() && std::has_single_bit(static_cast<std::uint64_t>(columns.constant()));
  const Scalar row = power ? i >> std::countr_zero(static_cast<std::uint64_t>(columns.constant())) : i / columns;
  return whole_.block(0, row, sizes_[0]).block(1, i - row * columns, sizes_[1]);
}

Scalar Blocks::count() const { return ceil_div(whole_.size(d_), n_); }
Tensor Blocks::operator[](Scalar i) const { return whole_.block(d_, i, n_); }

}  // namespace heddle::sdk
