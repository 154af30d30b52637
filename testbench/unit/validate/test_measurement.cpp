// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/measurement.hpp"

#include "testbench/support/catch.hpp"

using namespace heddle::validate;

namespace {

Measurement of(double measured, double simulated) { return {"time", "cycles", measured, simulated}; }

bool passes(std::string_view tolerance, double measured, double simulated, bool aligned = true, double clock = 0) {
  Measurement m = of(measured, simulated);
  m.tolerance = parse_tolerance(tolerance, aligned, clock);
  REQUIRE(m.tolerance.has_value());
  return m.within();
}

}  // namespace

TEST_CASE("an error is a part of the measured value, percentage points of a share, or in the value's unit") {
  Measurement m = of(200, 150);
  CHECK(m.error() == Approx(-25));
  CHECK(m.error_text() == "-25.0 %");
  m.scale = ErrorScale::points;
  CHECK(m.error() == Approx(-50));
  CHECK(error_unit(m) == "pt");
  m.scale = ErrorScale::absolute;
  CHECK(error_unit(m) == "cycles");
  CHECK(of(7, 7).error_text() == "0 %");
}

// Every form that the tables use, each at its edge and just past it.
TEST_CASE("tolerances are read as the tables write them") {
  CHECK(passes("exact", 100, 100));
  CHECK_FALSE(passes("exact", 100, 101));
  CHECK(passes("5%", 100, 105));
  CHECK_FALSE(passes("5%", 100, 94.9));
  const std::string_view gemmini = "exact if M,N,K % dim==0 else 3%";
  CHECK(passes(gemmini, 100, 100, true));
  CHECK_FALSE(passes(gemmini, 100, 101, true));
  CHECK(passes(gemmini, 100, 103, false));
  CHECK_FALSE(passes(gemmini, 100, 104, false));
  const std::string_view redmule = "1% aligned, 5% leftovers";
  CHECK(passes(redmule, 100, 101, true));
  CHECK_FALSE(passes(redmule, 100, 102, true));
  CHECK(passes(redmule, 100, 105, false));
  CHECK_FALSE(passes(redmule, 100, 106, false));
  CHECK(passes("10% each, 5% mean", 100, 90));
  CHECK_FALSE(passes("10% each, 5% mean", 100, 89));
  const std::string_view bound = "upper bound, >=80% of it";
  CHECK(passes(bound, 10, 8));
  CHECK(passes(bound, 10, 10));
  CHECK_FALSE(passes(bound, 10, 7.9));
  CHECK_FALSE(passes(bound, 10, 10.1));
  CHECK(passes("+-1 tCK + fixed ctrl", 15, 16.25, true, 1.25));
  CHECK_FALSE(passes("+-1 tCK + fixed ctrl", 15, 16.3, true, 1.25));
  for (const char* bad : {"", "roughly", "five%", "%", "-3%", "nan%", "exact if so", "upper bound, >=x% of it"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_tolerance(bad).has_value());
  }
}
