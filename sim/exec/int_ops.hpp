// SPDX-License-Identifier: Apache-2.0
// The VPU's functions where every operand is an integer: int32 that wraps.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/exec/kernels.hpp"

namespace heddle::exec {

constexpr std::int32_t wrap_add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
constexpr std::int32_t wrap_sub(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
constexpr std::int32_t wrap_mul(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

// validate() lets only mov, neg, abs, relu, floor and round through for integers.
inline void int_unary(Unary fn, const std::int32_t* a, std::int32_t* r, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t v = a[i];
    r[i] = fn == Unary::neg            ? wrap_sub(0, v)
           : fn == Unary::abs && v < 0 ? wrap_sub(0, v)
           : fn == Unary::relu         ? std::max(v, 0)
                                       : v;
  }
}

template <class F>
void int_zip(const std::int32_t* a, const std::int32_t* b, std::int32_t* r, std::size_t n, F&& f) {
  for (std::size_t i = 0; i < n; ++i) r[i] = f(a[i], b[i]);
}

// All but div.
inline void int_binary(Binary fn, const std::int32_t* a, const std::int32_t* b, std::int32_t* r, std::size_t n) {
  using I = std::int32_t;
  switch (fn) {
    case Binary::add:
      return int_zip(a, b, r, n, wrap_add);
    case Binary::sub:
      return int_zip(a, b, r, n, wrap_sub);
    case Binary::mul:
      return int_zip(a, b, r, n, wrap_mul);
    case Binary::max:
      return int_zip(a, b, r, n, [](I x, I y) { return std::max(x, y); });
    case Binary::min:
      return int_zip(a, b, r, n, [](I x, I y) { return std::min(x, y); });
    case Binary::lt:
      return int_zip(a, b, r, n, [](I x, I y) { return I{x < y}; });
    case Binary::le:
      return int_zip(a, b, r, n, [](I x, I y) { return I{x <= y}; });
    case Binary::eq:
      return int_zip(a, b, r, n, [](I x, I y) { return I{x == y}; });
    case Binary::ne:
      return int_zip(a, b, r, n, [](I x, I y) { return I{x != y}; });
    case Binary::div:
      break;
  }
}

}  // namespace heddle::exec
