// SPDX-License-Identifier: Apache-2.0
// Sizes of tensors and tiles. An Extent is a size known on the host, or one computed while the program runs together
// with the largest value it can take (its capacity): memory and view templates are laid out for the capacity.
#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>

#include "isa/image/view.hpp"
#include "sdk/arch/scalar.hpp"

namespace heddle::sdk {

using Loc = std::source_location;
using isa::Space;

inline constexpr std::int64_t unbounded =
    0x7fffffff;  // capacity of a dimension of a tensor in HBM that only the launch knows

struct Extent {
  Scalar size = 1;
  std::int64_t capacity = 1;

  constexpr Extent() = default;
  template <std::integral T>
  constexpr Extent(T n) : size(n), capacity(static_cast<std::int64_t>(n)) {}           // NOLINT: a size is an extent
  Extent(Scalar n) : size(n), capacity(n.is_constant() ? n.constant() : unbounded) {}  // NOLINT
  Extent(Scalar n, std::int64_t at_most) : size(n), capacity(n.is_constant() ? n.constant() : at_most) {}
  constexpr bool is_static() const { return size.is_constant(); }
};

// A size that is computed, and never larger than `at_most`.
inline Extent up_to(Scalar n, std::int64_t at_most) { return {n, at_most}; }

// Up to four extents, outermost first.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Extent> dims, Loc loc = Loc::current());  // HDL-SDK-10 unless 1 to 4 dims
  int rank() const { return rank_; }
  const Extent& operator[](int d) const { return dims_[static_cast<std::size_t>(d)]; }
  Extent& operator[](int d) { return dims_[static_cast<std::size_t>(d)]; }
  void append(Extent e) { dims_[static_cast<std::size_t>(rank_++)] = e; }
  bool is_static() const;
  std::int64_t capacity() const;  // product of the capacities, in elements

 private:
  int rank_ = 0;
  std::array<Extent, isa::max_rank> dims_{};
};

}  // namespace heddle::sdk
