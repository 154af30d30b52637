// SPDX-License-Identifier: Apache-2.0
// Transposition in blocks of 16-byte vectors: L rows of L elements become L columns by log2(L) rounds of interleaving
// row i with row i + L/2.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/exec/transpose_kernels.cpp"
#include <algorithm>

#include "hwy/foreach_target.h"
// After foreach_target.
#include "sim/exec/kernel_parts.hpp"
#include "sim/exec/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace heddle::exec::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
// L x L elements, L = 16 / sizeof(T).
template <class T>
HWY_INLINE void turn(const T* from, std::int64_t from_row_step, T* to, std::int64_t to_row_step) {
  constexpr std::size_t lanes = 16 / sizeof(T);
  const hn::FixedTag<T, lanes> d;
  using V = hn::Vec<decltype(d)>;
  V v[lanes];
  V next[lanes];
  const auto* source = reinterpret_cast<const std::uint8_t*>(from);
  HEDDLE_UNROLL
  for (std::size_t i = 0; i < lanes; ++i) {
    v[i] = hn::LoadU(d, reinterpret_cast<const T*>(source));
    source += from_row_step;
  }
  HEDDLE_UNROLL
  for (std::size_t round = 1; round < lanes; round *= 2) {
    HEDDLE_UNROLL
    for (std::size_t i = 0; i < lanes / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, v[i], v[i + lanes / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + lanes / 2]);
    }
    HEDDLE_UNROLL
    for (std::size_t i = 0; i < lanes; ++i) v[i] = next[i];
  }
  auto* target = reinterpret_cast<std::uint8_t*>(to);
  HEDDLE_UNROLL
  for (std::size_t i = 0; i < lanes; ++i) {
    hn::StoreU(v[i], d, reinterpret_cast<T*>(target));
    target += to_row_step;
  }
}
#endif

template <class T>
void transpose_as(const std::uint8_t* from, std::int64_t from_row_step, std::uint8_t* to, std::int64_t to_row_step,
                  std::size_t rows, std::size_t columns) {
  const auto source = [&](std::size_t r, std::size_t c) {
    return reinterpret_cast<const T*>(from + static_cast<std::int64_t>(r) * from_row_step) + c;
  };
  const auto target = [&](std::size_t r, std::size_t c) {
    return reinterpret_cast<T*>(to + static_cast<std::int64_t>(c) * to_row_step) + r;
  };
#if HWY_TARGET == HWY_SCALAR
  const std::size_t whole_rows = 0;
#else
  constexpr std::size_t lanes = 16 / sizeof(T);
  const std::size_t whole_rows = rows / lanes * lanes;
  const std::size_t whole_columns = columns / lanes * lanes;
  // 64 bytes square at a time: each line of the source and of the result is touched once.
  constexpr std::size_t square = 64 / sizeof(T);
  for (std::size_t r0 = 0; r0 < whole_rows; r0 += square)
    for (std::size_t c0 = 0; c0 < whole_columns; c0 += square)
      for (std::size_t r = r0; r < std::min(r0 + square, whole_rows); r += lanes)
        for (std::size_t c = c0; c < std::min(c0 + square, whole_columns); c += lanes)
          turn<T>(source(r, c), from_row_step, target(r, c), to_row_step);
  for (std::size_t r = 0; r < whole_rows; ++r)
    for (std::size_t c = whole_columns; c < columns; ++c) *target(r, c) = *source(r, c);
#endif
  for (std::size_t r = whole_rows; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) *target(r, c) = *source(r, c);
}

void transpose(std::size_t width, const std::uint8_t* from, std::int64_t from_row_step, std::uint8_t* to,
               std::int64_t to_row_step, std::size_t rows, std::size_t columns) {
  if (width == 4)
    transpose_as<std::uint32_t>(from, from_row_step, to, to_row_step, rows, columns);
  else if (width == 2)
    transpose_as<std::uint16_t>(from, from_row_step, to, to_row_step, rows, columns);
  else
    transpose_as<std::uint8_t>(from, from_row_step, to, to_row_step, rows, columns);
}

void fill_transpose(Kernels* k) { k->transpose = transpose; }

}  // namespace heddle::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heddle::exec {
HWY_EXPORT(fill_transpose);
void fill_transpose_kernels(Kernels* k) { HWY_DYNAMIC_DISPATCH(fill_transpose)(k); }
}  // namespace heddle::exec
#endif
