// SPDX-License-Identifier: Apache-2.0
// The narrow floats against their definition: every code by the formula, every rounding by a search over all codes.
#include "isa/base/float_convert.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "testbench/support/catch.hpp"
#include "testbench/unit/isa/random_program.hpp"

using namespace heddle;

namespace {

struct Format {
  const char* name;
  int exponent_bits, mantissa_bits;
  bool has_infinity;
  float (*widen)(std::uint32_t);
  std::uint32_t (*narrow)(float);
  int bits() const { return 1 + exponent_bits + mantissa_bits; }
};

const Format formats[] = {
    {"bf16", 8, 7, true, [](std::uint32_t v) { return bf16_to_fp32(static_cast<std::uint16_t>(v)); },
     [](float f) -> std::uint32_t { return fp32_to_bf16(f); }},
    {"fp16", 5, 10, true, [](std::uint32_t v) { return fp16_to_fp32(static_cast<std::uint16_t>(v)); },
     [](float f) -> std::uint32_t { return fp32_to_fp16(f); }},
    {"fp8_e4m3", 4, 3, false, [](std::uint32_t v) { return fp8_e4m3_to_fp32(static_cast<std::uint8_t>(v)); },
     [](float f) -> std::uint32_t { return fp32_to_fp8_e4m3(f); }},
    {"fp8_e5m2", 5, 2, true, [](std::uint32_t v) { return fp8_e5m2_to_fp32(static_cast<std::uint8_t>(v)); },
     [](float f) -> std::uint32_t { return fp32_to_fp8_e5m2(f); }}};

enum class Class { finite, infinite, nan };
struct Meaning {
  Class kind;
  double magnitude;
};

// From the definition: value = 2^(e - bias) * (1 + m / 2^M), or 2^(1 - bias) * m / 2^M where e is 0.
Meaning meaning(const Format& f, std::uint32_t magnitude_code) {
  const int e = static_cast<int>(magnitude_code >> f.mantissa_bits);
  const int m = static_cast<int>(magnitude_code & ((1u << f.mantissa_bits) - 1));
  const int top = (1 << f.exponent_bits) - 1;
  const int bias = top / 2;
  if (f.has_infinity && e == top) return {m == 0 ? Class::infinite : Class::nan, 0};
  if (!f.has_infinity && e == top && m == (1 << f.mantissa_bits) - 1) return {Class::nan, 0};
  const double fraction = m * std::pow(2.0, -f.mantissa_bits);
  return {Class::finite, e == 0 ? std::pow(2.0, 1 - bias) * fraction : std::pow(2.0, e - bias) * (1 + fraction)};
}

// Magnitudes of all finite codes; they rise with the code.
std::vector<double> finite_magnitudes(const Format& f) {
  std::vector<double> out;
  for (std::uint32_t c = 0; meaning(f, c).kind == Class::finite; ++c) out.push_back(meaning(f, c).magnitude);
  return out;
}

// Nearest code; a tie goes to the even one. Past the largest, the step that would follow decides about overflow.
std::uint32_t nearest(const Format& f, const std::vector<double>& values, float x) {
  const std::uint32_t sign = std::signbit(x) ? 1u << (f.bits() - 1) : 0u;
  const double a = std::fabs(static_cast<double>(x));
  const auto last = static_cast<std::uint32_t>(values.size() - 1);
  const double top = values[last];
  if (a > top) {
    const double half = (top - values[last - 1]) / 2;
    const bool overflows = a >= top + half;  // a tie goes up: the largest code is odd where there is an infinity
    return sign | (f.has_infinity && overflows ? last + 1 : last);
  }
  const auto above = static_cast<std::uint32_t>(std::lower_bound(values.begin(), values.end(), a) - values.begin());
  if (values[above] == a || above == 0) return sign | above;
  const double up = values[above] - a;
  const double down = a - values[above - 1];
  if (up == down) return sign | (above % 2 == 0 ? above : above - 1);
  return sign | (up < down ? above : above - 1);
}

void check_narrow(const Format& f, const std::vector<double>& values, float x) {
  for (float y : {x, -x}) {
    const std::uint32_t got = f.narrow(y);
    const std::uint32_t want = nearest(f, values, y);
    if (got != want) FAIL(f.name << " of " << y << ": code " << got << ", expected " << want);
  }
}

}  // namespace

TEST_CASE("every code widens to its value and narrows back") {
  for (const Format& f : formats) {
    CAPTURE(f.name);
    const std::uint32_t sign_bit = 1u << (f.bits() - 1);
    for (std::uint32_t code = 0; code < 2 * sign_bit; ++code) {
      const Meaning m = meaning(f, code & (sign_bit - 1));
      const float got = f.widen(code);
      const double want = (code & sign_bit) != 0 ? -m.magnitude : m.magnitude;
      const bool right = m.kind == Class::nan        ? std::isnan(got)
                         : m.kind == Class::infinite ? std::isinf(got)
                                                     : static_cast<double>(got) == want;
      if (!right || std::signbit(got) != ((code & sign_bit) != 0)) FAIL(f.name << " code " << code << " is " << got);
      if (m.kind == Class::finite && f.narrow(got) != code) FAIL(f.name << " code " << code << " does not come back");
    }
  }
}

TEST_CASE("narrowing rounds to the nearest code and ties to even") {
  isa::test::Random r(4);
  for (const Format& f : formats) {
    CAPTURE(f.name);
    const auto values = finite_magnitudes(f);
    // Around every code and every midpoint between two; both are exact in fp32.
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double next = i + 1 < values.size() ? values[i + 1] : 2 * values[i] - values[i - 1];
      for (double at : {values[i], (values[i] + next) / 2}) {
        const auto x = static_cast<float>(at);
        for (float y : {x, std::nextafter(x, 0.0f), std::nextafter(x, std::numeric_limits<float>::infinity())})
          if (std::isfinite(y)) check_narrow(f, values, y);
      }
    }
    for (int i = 0; i < 300000; ++i) {
      const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(r()));
      if (std::isfinite(x)) check_narrow(f, values, x);
    }
  }
}

TEST_CASE("infinity and NaN narrow as the header says") {
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(fp32_to_bf16(inf) == 0x7f80);
  CHECK(fp32_to_bf16(-inf) == 0xff80);
  CHECK(fp32_to_fp16(inf) == 0x7c00);
  CHECK(fp32_to_fp16(65519.996f) == 0x7bff);
  CHECK(fp32_to_fp16(65520.0f) == 0x7c00);
  CHECK(fp32_to_fp8_e5m2(-inf) == 0xfc);
  CHECK(fp32_to_fp8_e4m3(inf) == 0x7e);
  CHECK(fp32_to_fp8_e4m3(-inf) == 0xfe);
  CHECK(fp32_to_fp8_e4m3(1e30f) == 0x7e);
  // Any NaN, its payload in the low bits only: a truncating conversion would turn it into infinity.
  for (std::uint32_t bits : {0x7f800001u, 0x7fc00000u, 0x7fffffffu}) {
    const auto nan = std::bit_cast<float>(bits);
    const auto negative = std::bit_cast<float>(bits | 0x80000000u);
    CHECK(fp32_to_bf16(nan) == 0x7fc0);
    CHECK(fp32_to_bf16(negative) == 0x7fc0);
    CHECK(fp32_to_fp16(nan) == 0x7e00);
    CHECK(fp32_to_fp16(negative) == 0x7e00);
    CHECK(fp32_to_fp8_e4m3(nan) == 0x7f);
    CHECK(fp32_to_fp8_e4m3(negative) == 0x7f);
    CHECK(fp32_to_fp8_e5m2(nan) == 0x7e);
    CHECK(fp32_to_fp8_e5m2(negative) == 0x7e);
  }
}

TEST_CASE("integers round to nearest even and saturate") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(fp32_to_int8(0.5f) == 0);
  CHECK(fp32_to_int8(1.5f) == 2);
  CHECK(fp32_to_int8(2.5f) == 2);
  CHECK(fp32_to_int8(-0.5f) == 0);
  CHECK(fp32_to_int8(-1.5f) == -2);
  CHECK(fp32_to_int8(127.49f) == 127);
  CHECK(fp32_to_int8(127.5f) == 127);
  CHECK(fp32_to_int8(-128.5f) == -128);
  CHECK(fp32_to_int8(1e30f) == 127);
  CHECK(fp32_to_int8(-inf) == -128);
  CHECK(fp32_to_int8(nan) == 0);
  CHECK(fp32_to_int32(2147483520.0f) == 2147483520);  // the largest fp32 below 2^31
  CHECK(fp32_to_int32(2147483648.0f) == 2147483647);
  CHECK(fp32_to_int32(-2147483648.0f) == std::numeric_limits<std::int32_t>::min());
  CHECK(fp32_to_int32(inf) == 2147483647);
  CHECK(fp32_to_int32(nan) == 0);
  CHECK(fp32_to_int32(8388609.0f) == 8388609);
  CHECK(fp32_to_int32(4194304.5f) == 4194304);
}
