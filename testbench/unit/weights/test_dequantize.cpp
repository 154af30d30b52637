// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "models/weights/storage_type.hpp"
#include "testbench/unit/weights/expect_error.hpp"

using namespace heddle;
using namespace heddle::weights;

namespace {

struct GoldenBlocks {
  std::string_view type;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> bits;
};
#include "testbench/unit/weights/golden_blocks.inc"

StorageType type_named(std::string_view text) {
  for (int i = 0; i < storage_type_count; ++i)
    if (name(static_cast<StorageType>(i)) == text) return static_cast<StorageType>(i);
  FAIL("no type " << text);
  return StorageType::f32;
}

std::vector<float> dequantized(StorageType type, const std::vector<std::uint8_t>& bytes, std::size_t count) {
  std::vector<float> out(count);
  dequantize(type, std::as_bytes(std::span(bytes)), out);
  return out;
}

}  // namespace

TEST_CASE("every block type gives the bits that gguf-py gives") {
  for (const GoldenBlocks& golden : golden_blocks) {
    CAPTURE(golden.type);
    const auto found = dequantized(type_named(golden.type), golden.bytes, golden.bits.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      REQUIRE(std::bit_cast<std::uint32_t>(found[i]) == golden.bits[i]);
    }
  }
}

TEST_CASE("plain types widen to fp32") {
  CHECK(dequantized(StorageType::f32, {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, 2) == std::vector<float>{1.0f, -2.0f});
  CHECK(dequantized(StorageType::f16, {0x00, 0x3c, 0x01, 0x00}, 2) == std::vector<float>{1.0f, 0x1p-24f});
  CHECK(dequantized(StorageType::bf16, {0x80, 0x3f, 0x40, 0xc0}, 2) == std::vector<float>{1.0f, -3.0f});
  CHECK(dequantized(StorageType::i8, {0x7f, 0x80}, 2) == std::vector<float>{127.0f, -128.0f});
  CHECK(dequantized(StorageType::i32, {0xff, 0xff, 0xff, 0xff}, 1) == std::vector<float>{-1.0f});
  CHECK(dequantized(StorageType::f8_e4m3, {0x38, 0x7e}, 2) == std::vector<float>{1.0f, 448.0f});
  CHECK(dequantized(StorageType::f8_e5m2, {0x3c}, 1) == std::vector<float>{1.0f});
  CHECK(std::isinf(dequantized(StorageType::f16, {0x00, 0x7c}, 1)[0]));
  CHECK(std::isnan(dequantized(StorageType::bf16, {0xc0, 0x7f}, 1)[0]));
  CHECK(dequantized(StorageType::f32, {}, 0).empty());
}

TEST_CASE("all half-precision numbers widen to their values") {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const int exponent = static_cast<int>(h >> 10) & 31;
    const int fraction = static_cast<int>(h & 1023);
    // IEEE 754 binary16: bias 15, ten bits of fraction, no hidden bit where the exponent is 0.
    double value = std::ldexp(exponent == 0 ? fraction : 1024 + fraction, std::max(exponent, 1) - 25);
    if (exponent == 31) value = fraction == 0 ? INFINITY : NAN;
    const double found = static_cast<double>(
        dequantized(StorageType::f16, {static_cast<std::uint8_t>(h), static_cast<std::uint8_t>(h >> 8)}, 1)[0]);
    const bool same =
        std::isnan(value) ? std::isnan(found) : std::fabs(found) == value && std::signbit(found) == (h >= 0x8000);
    if (!same) FAIL("half " << h << " gives " << found);
  }
}

TEST_CASE("a scale of zero or NaN is no special case") {
  std::vector<std::uint8_t> block(18, 0xf0);
  block[0] = block[1] = 0;
  for (const float v : dequantized(StorageType::q4_0, block, 32)) CHECK(v == 0.0f);
  block[1] = 0x7e;
  for (const float v : dequantized(StorageType::q4_0, block, 32)) CHECK(std::isnan(v));
}

TEST_CASE("types that are only listed, and sizes that disagree, are refused") {
  testing::expect_error("HDL-WGT-07", "I64", [] { dequantized(StorageType::i64, {1, 2, 3, 4, 5, 6, 7, 8}, 1); });
  testing::expect_error("HDL-WGT-14", "", [] { dequantized(StorageType::q4_0, std::vector<std::uint8_t>(18), 31); });
  testing::expect_error("HDL-WGT-14", "", [] { dequantized(StorageType::q4_0, std::vector<std::uint8_t>(17), 32); });
  testing::expect_error("HDL-WGT-14", "", [] { dequantized(StorageType::f32, std::vector<std::uint8_t>(8), 1); });
}
