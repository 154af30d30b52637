// SPDX-License-Identifier: Apache-2.0
// The block formats are ggml's: block_q4_0 and its kin in ggml-common.h, one decoder each.
#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "isa/base/error.hpp"
#include "isa/base/float_convert.hpp"
#include "models/weights/storage_type.hpp"

namespace heddle::weights {

namespace {

using Byte = unsigned char;

template <class T>
T load(const Byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
float half(const Byte* p) { return fp16_to_fp32(load<std::uint16_t>(p)); }

// All 65536 values once: a look-up is several times faster than the conversion, and large files hold nothing else.
const std::array<float, 65536>& half_table() {
  static const auto table = [] {
    auto all = std::make_unique<std::array<float, 65536>>();
    for (std::size_t i = 0; i < all->size(); ++i) (*all)[i] = fp16_to_fp32(static_cast<std::uint16_t>(i));
    return all;
  }();
  return *table;
}
float low_nibble(Byte b) { return static_cast<float>(b & 15); }
float high_nibble(Byte b) { return static_cast<float>(b >> 4); }

// {half d; byte q[16]}: element i is the low nibble of q[i], element i + 16 the high one; value d * (q - 8).
void block_q4_0(const Byte* p, float* out) {
  const float d = half(p);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * (low_nibble(p[2 + i]) - 8.0f);
    out[i + 16] = d * (high_nibble(p[2 + i]) - 8.0f);
  }
}

// {half d, m; byte q[16]}: value d * q + m.
void block_q4_1(const Byte* p, float* out) {
  const float d = half(p);
  const float m = half(p + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * low_nibble(p[4 + i]) + m;
    out[i + 16] = d * high_nibble(p[4 + i]) + m;
  }
}

// {half d; int8 q[32]}: value d * q.
void block_q8_0(const Byte* p, float* out) {
  const float d = half(p);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(static_cast<signed char>(p[2 + i]));
}

// {half d, dmin; byte scales[12]; byte q[128]}: eight groups of 32 with 6-bit scale and minimum each; the first four
// groups keep theirs in the low six bits of scales[0..8), the others in scales[8..12) and the two bits left over.
void block_q4_k(const Byte* p, float* out) {
  const float d = half(p);
  const float dmin = half(p + 2);
  const Byte* s = p + 4;
  const Byte* q = p + 16;
  for (int group = 0; group < 8; ++group) {
    const int j = group & 3;
    const int scale = group < 4 ? s[j] & 63 : (s[8 + j] & 15) | ((s[j] >> 6) << 4);
    const int minimum = group < 4 ? s[4 + j] & 63 : (s[8 + j] >> 4) | ((s[4 + j] >> 6) << 4);
    const float scaled = d * static_cast<float>(scale);
    const float offset = dmin * static_cast<float>(minimum);
    const Byte* row = q + 32 * (group / 2);  // two groups share 32 bytes, one a nibble
    float* to = out + 32 * group;
    if (group % 2 == 0) {
      for (int i = 0; i < 32; ++i) to[i] = scaled * low_nibble(row[i]) - offset;
    } else {
      for (int i = 0; i < 32; ++i) to[i] = scaled * high_nibble(row[i]) - offset;
    }
  }
}

// {byte low[128]; byte high[64]; int8 scales[16]; half d}: 6-bit values less 32, one scale for each 16. Within a half
// of 128 elements, element 32 * part + i has its low nibble in low[32 * (part % 2) + i] and its top two bits at bit
// 2 * part of high[i].
void block_q6_k(const Byte* p, float* out) {
  const float d = half(p + 208);
  for (int part = 0; part < 8; ++part) {
    const Byte* low = p + 64 * (part / 4) + 32 * (part % 2);
    const Byte* high = p + 128 + 32 * (part / 4);
    const int low_shift = part % 4 < 2 ? 0 : 4;
    const int high_shift = 2 * (part % 4);
    float* to = out + 32 * part;
    for (int side = 0; side < 2; ++side) {
      const float scale = d * static_cast<float>(static_cast<signed char>(p[192 + 2 * part + side]));
      for (int i = 16 * side; i < 16 * side + 16; ++i) {
        const int q = ((low[i] >> low_shift) & 15) | (((high[i] >> high_shift) & 3) << 4);
        to[i] = scale * static_cast<float>(q - 32);
      }
    }
  }
}

template <int elements, int bytes, void (*block)(const Byte*, float*)>
void each_block(const Byte* p, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); i += elements, p += bytes) block(p, out.data() + i);
}

template <class T, class Convert>
void each_element(const Byte* p, std::span<float> out, Convert convert) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = convert(load<T>(p + i * sizeof(T)));
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "weight files are little-endian and read as they lie");

void dequantize(StorageType type, std::span<const std::byte> blocks, std::span<float> out) {
  const StorageInfo& t = info(type);
  if (!t.readable)
    fail(ErrorKind::unsupported, "HDL-WGT-07", "elements of type {} cannot be read as numbers here", t.name);
  const auto count = static_cast<std::int64_t>(out.size());
  if (count % t.block_elements != 0 ||
      static_cast<std::int64_t>(blocks.size()) != count / t.block_elements * t.block_bytes)
    fail(ErrorKind::internal, "HDL-WGT-14", "{} elements of {} asked of {} bytes", count, t.name, blocks.size());
  if (out.empty()) return;

  const auto* p = reinterpret_cast<const Byte*>(blocks.data());
  switch (type) {
    case StorageType::f32:
      std::memcpy(out.data(), p, blocks.size());
      return;
    case StorageType::f16:
      return each_element<std::uint16_t>(p, out, [&table = half_table()](std::uint16_t v) { return table[v]; });
    case StorageType::bf16:
      return each_element<std::uint16_t>(p, out, [](std::uint16_t v) { return bf16_to_fp32(v); });
    case StorageType::f8_e4m3:
      return each_element<std::uint8_t>(p, out, fp8_e4m3_to_fp32);
    case StorageType::f8_e5m2:
      return each_element<std::uint8_t>(p, out, fp8_e5m2_to_fp32);
    case StorageType::i8:
      return each_element<std::int8_t>(p, out, [](auto v) { return static_cast<float>(v); });
    case StorageType::i32:
      return each_element<std::int32_t>(p, out, [](auto v) { return static_cast<float>(v); });
    case StorageType::q4_0:
      return each_block<32, 18, block_q4_0>(p, out);
    case StorageType::q4_1:
      return each_block<32, 20, block_q4_1>(p, out);
    case StorageType::q8_0:
      return each_block<32, 34, block_q8_0>(p, out);
    case StorageType::q4_k:
      return each_block<256, 144, block_q4_k>(p, out);
    case StorageType::q6_k:
      return each_block<256, 210, block_q6_k>(p, out);
    default:
      fail(ErrorKind::internal, "HDL-WGT-14", "no decoder for {}", t.name);
  }
}

}  // namespace heddle::weights
