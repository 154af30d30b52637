// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/suite_row.hpp"

#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::validate;

namespace {

std::unique_ptr<const Table> suite(const std::string& row) {
  return parse_table("test,params,expected,unit,tolerance\n" + row + "\n", "t.csv");
}

template <class F>
std::string error_of(F body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a suite's row holds words, sizes, expected values and a tolerance") {
  const auto table = suite("mesh/a,WS R=4 tile=5x6,28672/4096,beats,exact");
  const Row& row = table->rows()[0];
  CHECK(suite_fit(row, "mesh/") == Fit::exact);
  CHECK(suite_fit(row, "mesh/a") == Fit::exact);
  CHECK(suite_fit(row, "mesh") == Fit::none);
  const SuiteRow s(row);
  CHECK(s.words() == std::vector<std::string>{"WS"});
  CHECK(s.size("R") == 4);
  CHECK(s.value("tile") == "5x6");
  CHECK(s.expected() == std::vector<double>{28672, 4096});
  CHECK(s.tolerance().most == 0);
  CHECK_NOTHROW(s.require_params(1, {"R", "tile", "lat"}));
  CHECK_THAT(error_of([&] { s.require_params(1, {"R"}); }), contains("t.csv:2:8: HDL-VAL-09") && contains("tile"));
  CHECK_THAT(error_of([&] { s.require_params(0, {"R", "tile"}); }), contains("HDL-VAL-09"));
  CHECK_THAT(error_of([&] { s.size("C"); }), contains("needs C="));
  CHECK_THAT(error_of([&] { s.size("tile"); }), contains("'5x6'"));
}

TEST_CASE("what a suite's row cannot mean is refused with the place") {
  for (const char* bad :
       {"a,R=,1,c,exact", "a,=4,1,c,exact", "a,R=1 R=2,1,c,exact", "a,R=1,x,c,exact", "a,R=1,0,c,exact",
        "a,R=1,-3,c,exact", "a,R=1,,c,exact", "a,R=1,nan,c,exact", "a,R=1,1/,c,exact ,", "a,R=1,1,c,roughly"}) {
    CAPTURE(bad);
    CHECK_THAT(error_of([&] {
                 const auto table = suite(bad);
                 SuiteRow(table->rows()[0]).tolerance();
               }),
               contains("t.csv:2:") && contains("HDL-VAL-0"));
  }
}
