// SPDX-License-Identifier: Apache-2.0
// Element types that views, engines and tensors agree on. The numbers are part of the image format: append only.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle {

enum class DType : std::uint8_t {
  fp32 = 0,
  bf16 = 1,
  fp16 = 2,
  fp8_e4m3 = 3,  // OCP: no infinity, 0x7f/0xff are NaN, largest 448
  fp8_e5m2 = 4,  // IEEE-like: infinity and NaN
  int32 = 5,
  int8 = 6,
  int4 = 7,  // two a byte, low nibble first; a view of int4 starts at a byte and its last stride is 1
};
inline constexpr int dtype_count = 8;

struct DTypeInfo {
  std::string_view name;
  std::uint8_t bits;
  bool is_float;
};

inline constexpr std::array<DTypeInfo, dtype_count> dtype_infos{{{"fp32", 32, true},
                                                                 {"bf16", 16, true},
                                                                 {"fp16", 16, true},
                                                                 {"fp8_e4m3", 8, true},
                                                                 {"fp8_e5m2", 8, true},
                                                                 {"int32", 32, false},
                                                                 {"int8", 8, false},
                                                                 {"int4", 4, false}}};

constexpr const DTypeInfo& info(DType t) { return dtype_infos[static_cast<std::size_t>(t)]; }
constexpr std::string_view name(DType t) { return info(t).name; }
constexpr int bits(DType t) { return info(t).bits; }
constexpr bool is_float(DType t) { return info(t).is_float; }
// Bytes that `count` consecutive elements take; int4 rounds up to a whole byte.
constexpr std::int64_t bytes_of(DType t, std::int64_t count) { return (count * bits(t) + 7) / 8; }

constexpr std::optional<DType> parse_dtype(std::string_view text) {
  for (int i = 0; i < dtype_count; ++i)
    if (dtype_infos[static_cast<std::size_t>(i)].name == text) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace heddle
