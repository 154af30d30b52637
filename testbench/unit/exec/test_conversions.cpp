// SPDX-License-Identifier: Apache-2.0
// The vector conversions against the scalar specification, on every instruction set of this host.
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/base/float_convert.hpp"
#include "sim/exec/kernels.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

float widen_one(DType t, std::uint32_t code) {
  switch (t) {
    case DType::bf16:
      return bf16_to_fp32(static_cast<std::uint16_t>(code));
    case DType::fp16:
      return fp16_to_fp32(static_cast<std::uint16_t>(code));
    case DType::fp8_e4m3:
      return fp8_e4m3_to_fp32(static_cast<std::uint8_t>(code));
    case DType::fp8_e5m2:
      return fp8_e5m2_to_fp32(static_cast<std::uint8_t>(code));
    default:
      return static_cast<float>(static_cast<std::int8_t>(code));
  }
}
std::uint32_t narrow_one(DType t, float f) {
  if (std::isnan(f)) f = std::numeric_limits<float>::quiet_NaN();  // the sign of a NaN is dropped
  switch (t) {
    case DType::bf16:
      return fp32_to_bf16(f);
    case DType::fp16:
      return fp32_to_fp16(f);
    case DType::fp8_e4m3:
      return fp32_to_fp8_e4m3(f);
    case DType::fp8_e5m2:
      return fp32_to_fp8_e5m2(f);
    case DType::int32:
      return static_cast<std::uint32_t>(fp32_to_int32(f));
    default:
      return static_cast<std::uint8_t>(fp32_to_int8(f));
  }
}
std::uint32_t code_at(DType t, const std::vector<std::uint8_t>& bytes, std::size_t i) {
  std::uint32_t code = 0;
  const auto width = static_cast<std::size_t>(bits(t) / 8);
  std::memcpy(&code, bytes.data() + i * width, width);
  return code;
}

// Every 1021st float (coprime to powers of two), and all within a few ulps of each narrow value and midpoint.
std::vector<float> interesting(DType t) {
  std::vector<float> out;
  for (std::uint64_t u = 0; u < (1ull << 32); u += 10211)
    out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(u)));
  const std::uint32_t codes = bits(t) == 16 ? 1u << 15 : 1u << 7;
  if (bits(t) <= 16 && is_float(t))
    for (std::uint32_t c = 0; c + 1 < codes; ++c) {
      const float low = widen_one(t, c);
      const float high = widen_one(t, c + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const auto middle = std::bit_cast<std::uint32_t>(low / 2 + high / 2);
      for (std::uint32_t u : {std::bit_cast<std::uint32_t>(low), middle})
        for (std::uint32_t delta : {0u, 1u, 0xffffffffu})
          for (std::uint32_t sign : {0u, 0x80000000u})
            if (u != 0 || delta != 0xffffffffu) out.push_back(std::bit_cast<float>((u + delta) ^ sign));
    }
  for (float f : {448.0f,   463.9f,   464.0f,   465.0f,        480.0f,        65504.0f,       65519.0f,
                  65520.0f, 57344.0f, 61440.0f, 2147483520.0f, 2147483648.0f, -2147483648.0f, 127.49f,
                  127.5f,   -128.5f,  -128.6f,  0.5f,          1.5f,          2.5f,           0x1p-149f})
    for (float g : {f, -f}) out.push_back(g);
  return out;
}

}  // namespace

TEST_CASE("widening: every code of every narrow type") {
  for (const exec::Kernels& k : exec::all_kernels())
    for (DType t : {DType::bf16, DType::fp16, DType::fp8_e4m3, DType::fp8_e5m2, DType::int8}) {
      const std::size_t n = bits(t) == 16 ? 65536 : 256;
      std::vector<std::uint8_t> codes(n * static_cast<std::size_t>(bits(t) / 8));
      for (std::size_t i = 0; i < n; ++i)
        std::memcpy(codes.data() + i * static_cast<std::size_t>(bits(t) / 8), &i,
                    static_cast<std::size_t>(bits(t) / 8));
      std::vector<float> got(n);
      k.widen(t, codes.data(), got.data(), n);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const float want = widen_one(t, static_cast<std::uint32_t>(i));
        if (std::isnan(want) ? !std::isnan(got[i])
                             : std::bit_cast<std::uint32_t>(want) != std::bit_cast<std::uint32_t>(got[i]))
          ++wrong;
      }
      INFO(k.target << " " << name(t));
      REQUIRE(wrong == 0);
    }
}

TEST_CASE("narrowing: near every value and every midpoint, and a sweep over all floats") {
  for (DType t : {DType::bf16, DType::fp16, DType::fp8_e4m3, DType::fp8_e5m2, DType::int32, DType::int8}) {
    const std::vector<float> in = interesting(t);
    std::vector<std::uint32_t> want;
    for (float f : in) want.push_back(narrow_one(t, f));
    for (const exec::Kernels& k : exec::all_kernels()) {
      std::vector<std::uint8_t> out(in.size() * 4);
      k.narrow(t, in.data(), out.data(), in.size());
      std::size_t wrong = 0;
      float first = 0;
      for (std::size_t i = 0; i < in.size(); ++i)
        if (code_at(t, out, i) != want[i] && wrong++ == 0) first = in[i];
      INFO(k.target << " " << name(t) << " first wrong: " << first);
      REQUIRE(wrong == 0);
    }
  }
}

TEST_CASE("int4 both ways, odd counts, and what is short of a vector") {
  for (const exec::Kernels& k : exec::all_kernels()) {
    const std::vector<float> in{-9, -8, -7.5f, -0.5f, 0.5f, 1.5f, 6.5f, 7.4f, 8, 1e9f, -1e9f, std::nanf(""), 3};
    const std::vector<float> want{-8, -8, -8, 0, 0, 2, 6, 7, 7, 7, -8, 0, 3};
    std::vector<std::uint8_t> packed(8, 0xaa);
    k.narrow(DType::int4, in.data(), packed.data(), in.size());
    REQUIRE((packed[6] & 0xf0) == 0xa0);
    std::vector<float> back(in.size());
    k.widen(DType::int4, packed.data(), back.data(), in.size());
    REQUIRE(back == want);
    for (std::size_t n = 0; n < 40; ++n) {
      std::vector<float> numbers(n, 1.25f);
      std::vector<std::uint16_t> out(n + 1, 0xdead);
      k.narrow(DType::bf16, numbers.data(), reinterpret_cast<std::uint8_t*>(out.data()), n);
      REQUIRE(out[n] == 0xdead);
      std::vector<float> wide(n + 1, -7.0f);
      k.widen(DType::bf16, reinterpret_cast<const std::uint8_t*>(out.data()), wide.data(), n);
      REQUIRE(wide[n] == -7.0f);
      REQUIRE((n == 0 || wide[n - 1] == 1.25f));
    }
  }
}

TEST_CASE("int4 in long runs") {
  Random random;
  for (const exec::Kernels& k : exec::all_kernels())
    for (std::size_t n : {1u, 31u, 32u, 33u, 64u, 511u, 512u, 513u, 1100u}) {
      std::vector<std::uint8_t> packed((n + 1) / 2);
      for (std::uint8_t& b : packed) b = static_cast<std::uint8_t>(random.next());
      std::vector<float> wide(n);
      std::vector<std::int8_t> small(n + 1, 77);
      k.widen(DType::int4, packed.data(), wide.data(), n);
      k.unpack_int4(packed.data(), small.data(), n);
      std::size_t wrong = small[n] == 77 ? 0 : 1;
      for (std::size_t i = 0; i < n; ++i) {
        const int nibble = (packed[i / 2] >> (i % 2 == 0 ? 0 : 4)) & 15;
        const int want = nibble >= 8 ? nibble - 16 : nibble;
        if (small[i] != want || wide[i] != static_cast<float>(want)) ++wrong;
      }
      REQUIRE(wrong == 0);
    }
}
