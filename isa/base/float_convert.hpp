// SPDX-License-Identifier: Apache-2.0
// Conversions between fp32 and the narrow floats: the specification in code, one element at a time.
// To narrow: round to nearest, ties to even; a NaN becomes the type's positive quiet NaN, since hosts differ in the
// sign and payload of the NaNs that arithmetic makes. bf16, fp16, e5m2 overflow to infinity; e4m3 has none and
// saturates to +-448 (OCP "satfinite"), infinities too. Subnormals are kept in both directions.
#pragma once
#include <bit>
#include <cstdint>

namespace heddle {

constexpr float bf16_to_fp32(std::uint16_t b) { return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16); }

constexpr std::uint16_t fp32_to_bf16(float f) {
  const auto u = std::bit_cast<std::uint32_t>(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fc0u;
  return static_cast<std::uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

float fp16_to_fp32(std::uint16_t h);
std::uint16_t fp32_to_fp16(float f);
float fp8_e4m3_to_fp32(std::uint8_t v);
std::uint8_t fp32_to_fp8_e4m3(float f);
float fp8_e5m2_to_fp32(std::uint8_t v);
std::uint8_t fp32_to_fp8_e5m2(float f);

// Nearest integer, ties to even, saturated to int8 / int32; NaN gives 0.
std::int8_t fp32_to_int8(float f);
std::int32_t fp32_to_int32(float f);

}  // namespace heddle
