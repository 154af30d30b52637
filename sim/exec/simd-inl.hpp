// SPDX-License-Identifier: Apache-2.0
// What every vector file needs: included once for each instruction set (hence no #pragma once), inside foreach_target.
#if defined(HEDDLE_SIM_EXEC_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HEDDLE_SIM_EXEC_SIMD_INL
#undef HEDDLE_SIM_EXEC_SIMD_INL
#else
#define HEDDLE_SIM_EXEC_SIMD_INL
#endif

#include <cmath>
#include <cstring>

#include "hwy/highway.h"

// Before a loop over an array of vectors: unrolled, the array lives in registers; -O2 alone leaves it in memory.
#ifndef HEDDLE_UNROLL
#if defined(__clang__)
#define HEDDLE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define HEDDLE_UNROLL _Pragma("GCC unroll 16")
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace heddle::exec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes: the order of sums is stated for 16 partial sums.
using DF = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;
using VU = hn::Vec<DU>;
inline constexpr std::size_t max_lanes = 16;

template <class F>
HWY_INLINE VF by_lane(VF a, F&& f) {
  const DF d;
  HWY_ALIGN float lanes[max_lanes];
  hn::Store(a, d, lanes);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = f(lanes[i]);
  return hn::Load(d, lanes);
}

// a * b + c with one rounding, also where the instruction set has no such instruction.
HWY_INLINE VF fma(VF a, VF b, VF c) {
#if HWY_NATIVE_FMA || HWY_TARGET == HWY_NEON
  return hn::MulAdd(a, b, c);
#else
  const DF d;
  HWY_ALIGN float x[max_lanes];
  HWY_ALIGN float y[max_lanes];
  HWY_ALIGN float z[max_lanes];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(d, z);
#endif
}

HWY_INLINE VF constant(float f) { return hn::Set(DF(), f); }

// Nearest integer, ties to even, sign of zero kept.
HWY_INLINE VF round_even(VF a) {
#if HWY_NATIVE_FMA || HWY_TARGET == HWY_NEON
  return hn::Round(a);
#else
  return by_lane(a, [](float f) { return std::nearbyint(f); });
#endif
}
HWY_INLINE VF floor_of(VF a) {
#if HWY_NATIVE_FMA || HWY_TARGET == HWY_NEON
  return hn::Floor(a);
#else
  return by_lane(a, [](float f) { return std::floor(f); });
#endif
}

HWY_INLINE VF canonical_nan(VF a) {
  const DF d;
  return hn::IfThenElse(hn::Eq(a, a), a, hn::BitCast(d, hn::Set(DU(), 0x7fc00000u)));
}

// The first n lanes, zeros in the others; n < Lanes.
HWY_INLINE VF load_some(const float* p, std::size_t n) {
  HWY_ALIGN float lanes[max_lanes] = {};
  std::memcpy(lanes, p, n * sizeof(float));
  return hn::Load(DF(), lanes);
}
HWY_INLINE void store_some(VF v, float* p, std::size_t n) {
  HWY_ALIGN float lanes[max_lanes];
  hn::Store(v, DF(), lanes);
  std::memcpy(p, lanes, n * sizeof(float));
}

}  // namespace heddle::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
