// SPDX-License-Identifier: Apache-2.0
#include "isa/base/float_convert.hpp"

#include <cmath>
#include <limits>

namespace heddle {
namespace {

// A small IEEE-like format: sign, E exponent bits, M mantissa bits, bias 2^(E-1)-1.
template <int E, int M, bool HasInf>
struct Small {
  static constexpr int bias = (1 << (E - 1)) - 1;
  static constexpr std::uint32_t exponent_mask = (1u << E) - 1;
  static constexpr std::uint32_t mantissa_mask = (1u << M) - 1;
  static constexpr std::uint32_t sign_bit = 1u << (E + M);
  // Largest finite magnitude as bits: with infinities the all-ones exponent is reserved, in e4m3 only its last code is.
  static constexpr std::uint32_t max_finite =
      HasInf ? ((exponent_mask - 1) << M) | mantissa_mask : (exponent_mask << M) | (mantissa_mask - 1);
  static constexpr std::uint32_t infinity = exponent_mask << M;
  static constexpr std::uint32_t quiet_nan = HasInf ? infinity | (1u << (M - 1)) : (exponent_mask << M) | mantissa_mask;

  static float widen(std::uint32_t v) {
    const bool negative = (v & sign_bit) != 0;
    const std::uint32_t exponent = (v >> M) & exponent_mask;
    const std::uint32_t mantissa = v & mantissa_mask;
    const std::uint32_t sign = negative ? 0x80000000u : 0u;
    if (HasInf && exponent == exponent_mask)
      return std::bit_cast<float>(sign | (mantissa == 0 ? 0x7f800000u : 0x7fc00000u | (mantissa << (23 - M))));
    if (!HasInf && exponent == exponent_mask && mantissa == mantissa_mask)
      return std::bit_cast<float>(sign | 0x7fc00000u);
    const float magnitude =
        exponent == 0 ? std::ldexp(static_cast<float>(mantissa), 1 - bias - M)
                      : std::ldexp(static_cast<float>(mantissa | (1u << M)), static_cast<int>(exponent) - bias - M);
    return negative ? -magnitude : magnitude;
  }

  static std::uint32_t narrow(float f) {
    const auto u = std::bit_cast<std::uint32_t>(f);
    const std::uint32_t sign = (u >> 31) != 0 ? sign_bit : 0u;
    const std::uint32_t magnitude = u & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return quiet_nan;
    if (magnitude == 0x7f800000u) return sign | (HasInf ? infinity : max_finite);
    int exponent = static_cast<int>(magnitude >> 23) - 127;
    std::uint32_t significand = magnitude & 0x7fffffu;
    if ((magnitude >> 23) == 0) return sign;  // below every small format's half subnormal
    significand |= 0x800000u;
    // Drop bits so that M remain (fewer for a subnormal result), rounding to nearest even.
    int drop = 23 - M;
    if (exponent < 1 - bias) {
      drop += (1 - bias) - exponent;
      exponent = 1 - bias;
      if (drop > 24) return sign;
    }
    const std::uint32_t half = 1u << (drop - 1);
    std::uint32_t kept = significand >> drop;
    const std::uint32_t rest = significand & ((1u << drop) - 1);
    if (rest > half || (rest == half && (kept & 1u) != 0)) ++kept;
    // kept holds the implicit one for normals: adding it to (exponent field - 1) carries into the exponent by itself.
    const std::uint32_t encoded = (static_cast<std::uint32_t>(exponent + bias - 1) << M) + kept;
    if (encoded > max_finite) return sign | (HasInf ? infinity : max_finite);
    return sign | encoded;
  }
};

using Fp16 = Small<5, 10, true>;
using E4m3 = Small<4, 3, false>;
using E5m2 = Small<5, 2, true>;

template <class Int>
Int saturate(float f) {
  if (std::isnan(f)) return 0;
  const double rounded = std::nearbyint(static_cast<double>(f));
  if (rounded <= std::numeric_limits<Int>::min()) return std::numeric_limits<Int>::min();
  if (rounded >= std::numeric_limits<Int>::max()) return std::numeric_limits<Int>::max();
  return static_cast<Int>(rounded);
}

}  // namespace

float fp16_to_fp32(std::uint16_t h) { return Fp16::widen(h); }
std::uint16_t fp32_to_fp16(float f) { return static_cast<std::uint16_t>(Fp16::narrow(f)); }
float fp8_e4m3_to_fp32(std::uint8_t v) { return E4m3::widen(v); }
std::uint8_t fp32_to_fp8_e4m3(float f) { return static_cast<std::uint8_t>(E4m3::narrow(f)); }
float fp8_e5m2_to_fp32(std::uint8_t v) { return E5m2::widen(v); }
std::uint8_t fp32_to_fp8_e5m2(float f) { return static_cast<std::uint8_t>(E5m2::narrow(f)); }
std::int8_t fp32_to_int8(float f) { return saturate<std::int8_t>(f); }
std::int32_t fp32_to_int32(float f) { return saturate<std::int32_t>(f); }

}  // namespace heddle
