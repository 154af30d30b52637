// SPDX-License-Identifier: Apache-2.0
// How the elements of a tensor lie in a weight file, and how they become fp32.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::weights {

enum class StorageType : std::uint8_t {
  f32,
  f16,
  bf16,
  f8_e4m3,
  f8_e5m2,
  f64,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  boolean,
  q4_0,  // ggml block formats: 32 elements a block, or 256 for the K types
  q4_1,
  q8_0,
  q4_k,
  q6_k,
};
inline constexpr int storage_type_count = 20;

struct StorageInfo {
  std::string_view name;         // as GGUF spells it: "F32", "Q4_1"
  std::int64_t block_elements;   // consecutive elements of a row that share one block; 1 for plain types
  std::int64_t block_bytes;      // bytes of one block
  std::string_view safetensors;  // its spelling there; empty: does not occur
  std::int32_t ggml;             // its number in GGUF; -1: does not occur
  bool readable;                 // dequantize() takes it; the others can be listed but not read
};

const StorageInfo& info(StorageType type);
inline std::string_view name(StorageType type) { return info(type).name; }

// Whole blocks to fp32: `out.size()` elements, a multiple of the block's, from `blocks`, which holds exactly as many
// bytes as they take. Formulas of the block types: ggml's reference dequantisation (dequantize_row_*), each operation
// rounded to fp32 on its own. Throws HDL-WGT-07 for a type that is not readable, HDL-WGT-14 when the sizes disagree.
void dequantize(StorageType type, std::span<const std::byte> blocks, std::span<float> out);

}  // namespace heddle::weights
