// SPDX-License-Identifier: Apache-2.0
#include "sdk/tile/tile.hpp"

#include <algorithm>
#include <utility>

#include "sdk/arch/recorder.hpp"

namespace heddle::sdk {
namespace {

std::size_t at_index(int d) { return static_cast<std::size_t>(d); }

void check_dimension(const Tile& t, int d, const Loc& loc) {
  if (d < 0 || d >= t.rank())
    Recorder::error_at(loc, "HDL-SDK-10", fmt::format("dimension {} of a tile of rank {}", d, t.rank()));
}

}  // namespace

void Tile::cut(int d, const Scalar& begin, const Extent& size, const Loc& loc) {
  check_dimension(*this, d, loc);
  const std::size_t i = at_index(d);
  const std::int64_t room = capacity(d) - (begin.is_constant() ? begin.constant() : 0);
  Extent n = size;
  if (!n.is_static()) n.capacity = std::min(n.capacity, room);
  if ((begin.is_constant() && begin.constant() < 0) || n.capacity < 0 || n.capacity > room)
    Recorder::error_at(loc, "HDL-SDK-11",
                       fmt::format("elements {}..{} of a dimension of {}", begin.is_constant() ? begin.constant() : 0,
                                   (begin.is_constant() ? begin.constant() : 0) + n.capacity, capacity(d)));
  const std::int64_t step_bits = strides_[i] * bits(dtype_);
  if (begin.is_constant()) {
    if (begin.constant() * step_bits % 8 != 0)
      Recorder::error_at(loc, "HDL-SDK-18", "a view of int4 begins in the middle of a byte");
    offset_ += begin.constant() * step_bits / 8;
  } else {
    base_ = base_ + (step_bits % 8 == 0 ? begin * (step_bits / 8) : (begin * step_bits) >> 3);
  }
  if (root_[i] >= 0 && begin.is_constant()) {
    const std::size_t r = at_index(root_[i]);
    region_.begin[r] += begin.constant();
    region_.end[r] = region_.begin[r] + n.capacity;
  }
  // Once its beginning is not known, a further cut says nothing about where in the allocation it lies.
  if (!begin.is_constant()) root_[i] = -1;
  shape_[d] = n;
}

void Tile::drop(int d, const Scalar& index, const Loc& loc) {
  if (rank() < 2) Recorder::error_at(loc, "HDL-SDK-10", "a tile of rank 1 keeps its dimension: use slice");
  cut(d, index, 1, loc);
  Shape shape;
  for (int s = 0; s < rank(); ++s)
    if (s != d) shape.append(shape_[s]);
  for (int s = d; s + 1 < rank(); ++s) {
    strides_[at_index(s)] = strides_[at_index(s + 1)];
    root_[at_index(s)] = root_[at_index(s + 1)];
  }
  shape_ = shape;
}

void Tile::swap(int d0, int d1, const Loc& loc) {
  check_dimension(*this, d0, loc);
  check_dimension(*this, d1, loc);
  std::swap(shape_[d0], shape_[d1]);
  std::swap(strides_[at_index(d0)], strides_[at_index(d1)]);
  std::swap(root_[at_index(d0)], root_[at_index(d1)]);
}

void Tile::change_shape(const Shape& to, const Loc& loc) {
  // Runs of old and new dimensions with equal products face each other; inside a run the old ones must be contiguous.
  std::array<std::int64_t, isa::max_rank> strides{};
  std::array<std::int8_t, isa::max_rank> root{-1, -1, -1, -1};
  int o = 0, n = 0;
  const auto refuse = [&](const char* why) {
    Recorder::error_at(loc, "HDL-SDK-12", fmt::format("a tile cannot be reshaped: {}", why));
  };
  while (o < rank() || n < to.rank()) {
    if (o < rank() && n < to.rank() && shape_[o].size.same_as(to[n].size)) {
      strides[at_index(n)] = strides_[at_index(o)];
      root[at_index(n)] = root_[at_index(o)];
      ++o, ++n;
      continue;
    }
    const int o0 = o, n0 = n;
    std::int64_t old_product = 1, new_product = 1;
    do {
      if (o < rank() && (old_product <= new_product || n == to.rank())) {
        if (!shape_[o].is_static()) refuse("a size that only the run knows would be split or joined");
        old_product *= shape_[o++].capacity;
      } else if (n < to.rank()) {
        if (!to[n].is_static()) refuse("a size that only the run knows would be split or joined");
        new_product *= to[n++].capacity;
      } else {
        break;
      }
    } while (old_product != new_product);
    if (old_product != new_product) refuse("the number of elements differs");
    std::int64_t stride = 1;
    for (int d = o - 1; d >= o0; --d)
      if (shape_[d].capacity != 1) {
        stride = strides_[at_index(d)];
        break;
      }
    std::int64_t expected = stride;
    for (int d = o - 1; d >= o0; --d) {
      if (shape_[d].capacity == 1) continue;
      if (strides_[at_index(d)] != expected) refuse("the dimensions to join are not contiguous");
      expected *= shape_[d].capacity;
    }
    for (int d = n - 1; d >= n0; --d) {
      strides[at_index(d)] = stride;
      stride *= to[d].capacity;
    }
  }
  shape_ = to;
  strides_ = strides;
  root_ = root;
}

void Tile::change_dtype(DType to, const Loc& loc) {
  if (bits(to) != bits(dtype_))
    Recorder::error_at(loc, "HDL-SDK-16", fmt::format("{} read as {}: widths differ", name(dtype_), name(to)));
  dtype_ = to;
}

void Tile::set_remote(const Scalar& core, const Scalar& chip) {
  remote_ = true;
  core_ = core;
  chip_ = chip;
}

void Tile::add_dimension(int at) {
  if (rank() >= isa::max_rank || at < 0 || at > rank())
    fail(ErrorKind::program, "HDL-SDK-10", "no room for a dimension at {} in a tile of rank {}", at, rank());
  Shape shape;
  for (int s = 0; s <= rank(); ++s) {
    if (s == at) shape.append(1);
    if (s < rank()) shape.append(shape_[s]);
  }
  for (int s = rank(); s > at; --s) {
    strides_[at_index(s)] = strides_[at_index(s - 1)];
    root_[at_index(s)] = root_[at_index(s - 1)];
  }
  strides_[at_index(at)] = 0;
  root_[at_index(at)] = -1;
  shape_ = shape;
}

}  // namespace heddle::sdk
