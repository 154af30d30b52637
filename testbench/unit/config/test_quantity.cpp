// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "isa/base/error.hpp"
#include "sim/config/quantity.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::config {
namespace {

struct Case {
  const char* text;
  Unit unit;
  std::int64_t value;
};

TEST_CASE("quantities are read exactly, in the unit's base") {
  const Case c = GENERATE(
      Case{"32MiB", Unit::bytes, 33554432}, Case{"1.5KiB", Unit::bytes, 1536}, Case{"2kB", Unit::bytes, 2000},
      Case{"64 B", Unit::bytes, 64}, Case{"0", Unit::bytes, 0}, Case{"1.64TB/s", Unit::bytes_per_second, 1640000000000},
      Case{"820GB/s", Unit::bytes_per_second, 820000000000}, Case{"940MHz", Unit::hertz, 940000000},
      Case{"1.75GHz", Unit::hertz, 1750000000}, Case{"85ns", Unit::time, 85000000}, Case{"0.5ns", Unit::time, 500000},
      Case{"1.3us", Unit::time, 1300000000}, Case{"1.3\xc2\xb5s", Unit::time, 1300000000},
      Case{"7 cycles", Unit::cycles, 7}, Case{"1 cycle", Unit::cycles, 1}, Case{"7", Unit::cycles, 7},
      Case{"12", Unit::none, 12}, Case{" 12 ", Unit::none, 12}, Case{"3.0", Unit::none, 3},
      Case{"0.000001s", Unit::time, 1000000000});
  CAPTURE(c.text);
  CHECK(parse_quantity(c.text, c.unit) == c.value);
}

TEST_CASE("cycles and times convert with the clock, whole cycles and rounded up") {
  CHECK(parse_quantity("80 cycles", Unit::time, 1'000'000'000) == 80'000'000);
  CHECK(parse_quantity("85ns", Unit::cycles, 940'000'000) == 80);  // 79.9 cycles
  CHECK(parse_quantity("80ns", Unit::cycles, 1'000'000'000) == 80);
  CHECK(parse_quantity("3 cycles", Unit::time, 3'000'000'000) == 1'000'000);
  CHECK_THROWS_WITH(parse_quantity("80 cycles", Unit::time), contains("is not a time, such as 85ns"));
}

TEST_CASE("a number without its unit says which unit it may have") {
  CHECK_THROWS_WITH(parse_quantity("85", Unit::time), contains("\"85\" needs a unit, such as 85ns"));
  CHECK_THROWS_WITH(parse_quantity("2", Unit::bytes), contains("\"2\" needs a unit, such as 2KiB"));
  CHECK_THROWS_WITH(parse_quantity("1.5", Unit::hertz), contains("\"1.5\" needs a unit, such as 1.5MHz"));
  CHECK_THROWS_WITH(parse_quantity("9", Unit::bytes_per_second), contains("such as 9GB/s"));
}

TEST_CASE("what is no quantity is refused") {
  const Case c =
      GENERATE(Case{"", Unit::bytes, 0}, Case{"MiB", Unit::bytes, 0}, Case{"-1MiB", Unit::bytes, 0},
               Case{"1MiBs", Unit::bytes, 0}, Case{"1mib", Unit::bytes, 0}, Case{"1.2.3MiB", Unit::bytes, 0},
               Case{"1e3MiB", Unit::bytes, 0}, Case{"0x10B", Unit::bytes, 0}, Case{"nan", Unit::none, 0},
               Case{"inf", Unit::cycles, 0}, Case{".", Unit::none, 0}, Case{"1.3B", Unit::bytes, 0},
               Case{"0.5", Unit::none, 0}, Case{"1.5 cycles", Unit::cycles, 0}, Case{"0.1fs", Unit::time, 0},
               Case{"3GHz", Unit::time, 0}, Case{"3ns", Unit::bytes, 0}, Case{"9223372036854775808", Unit::none, 0},
               Case{"99999999999999999999999999999999999999999", Unit::none, 0}, Case{"9000000TiB", Unit::bytes, 0},
               Case{"0.0000000000000000000000000001s", Unit::time, 0}, Case{"1 2B", Unit::bytes, 0});
  CAPTURE(c.text);
  CHECK_THROWS_AS(parse_quantity(c.text, c.unit), Error);
}

TEST_CASE("what is printed reads back to the same value") {
  const std::int64_t value =
      GENERATE(values<std::int64_t>({0, 1, 7, 999, 1000, 1024, 1536, 2048, 65536, 1000000, 1640000000000, 1099511627776,
                                     33554432, 85000000, 1300000000, 933333333, 9223372036854775807}));
  const Unit unit = GENERATE(Unit::bytes, Unit::bytes_per_second, Unit::hertz, Unit::time, Unit::cycles, Unit::none);
  const std::string text = format_quantity(value, unit);
  CAPTURE(value, text);
  CHECK(parse_quantity(text, unit) == value);
}

TEST_CASE("what is printed is what a person would write") {
  CHECK(format_quantity(1640000000000, Unit::bytes_per_second) == "1.64TB/s");
  CHECK(format_quantity(1750000000, Unit::hertz) == "1.75GHz");
  CHECK(format_quantity(33554432, Unit::bytes) == "32MiB");
  CHECK(format_quantity(1536, Unit::bytes) == "1536B");
  CHECK(format_quantity(80000000, Unit::time) == "80ns");
}

TEST_CASE("ratios keep their value exactly, in lowest terms") {
  const auto same = [](Ratio a, std::int64_t num, std::int64_t den) { return a.num == num && a.den == den; };
  CHECK(same(parse_ratio("1/4"), 1, 4));
  CHECK(same(parse_ratio("0.25"), 1, 4));
  CHECK(same(parse_ratio("2"), 2, 1));
  CHECK(same(parse_ratio("6/4"), 3, 2));
  CHECK(same(parse_ratio("0"), 0, 1));
  CHECK(same(parse_ratio(" 3 / 8 "), 3, 8));
  CHECK(same(parse_ratio("1048576"), 1048576, 1));
  const char* bad = GENERATE("", "1/0", "-1", "1/2/3", "a", "1/", "/2", "0.5/2", "1/0.5", "1048577", "0.00000001",
                             "99999999999999999999");
  CAPTURE(bad);
  CHECK_THROWS_AS(parse_ratio(bad), Error);
}

}  // namespace
}  // namespace heddle::config
