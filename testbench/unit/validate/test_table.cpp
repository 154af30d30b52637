// SPDX-License-Identifier: Apache-2.0
// Tables come from other people's scripts and spreadsheets: every mistake in one must be named with its place, because
// a row that is read wrongly looks like an error of the simulator.
#include "sim/app/validate/table.hpp"

#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::validate;

namespace {

// what() of the error that `body` throws, or "".
template <class F>
std::string error_of(F body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

std::string parse_error(std::string_view text) {
  return error_of([&] { parse_table(text, "t.csv"); });
}

}  // namespace

TEST_CASE("a table has comments, a heading and rows that know their lines") {
  const auto table = parse_table(
      "\xef\xbb\xbf# from a chip\n#second\nkernel, m ,note\n\ngemm,7,\n# between\n gemm , 8 ,x", "d/a_b.csv");
  CHECK(table->stem() == "a_b");
  CHECK(table->comments() == std::vector<std::string>{"from a chip", "second", "between"});
  CHECK(table->columns() == std::vector<std::string>{"kernel", "m", "note"});
  REQUIRE(table->rows().size() == 2);
  CHECK(table->rows()[0].line() == 5);
  CHECK(table->rows()[0].text("note").empty());
  CHECK(table->rows()[1].text("kernel") == "gemm");
  CHECK(table->rows()[1].integer("m") == 8);
  CHECK(table->rows()[1].place("m").column == 9);
}

TEST_CASE("quoted fields may hold commas and quotes, and line ends may be of either kind") {
  const auto table = parse_table("a,b\r\n\"1, 2\",\"say \"\"x\"\"\"\r\n", "t.csv");
  CHECK(table->rows()[0].text("a") == "1, 2");
  CHECK(table->rows()[0].text("b") == "say \"x\"");
}

TEST_CASE("broken tables are refused with the place") {
  CHECK_THAT(parse_error(""), contains("t.csv: HDL-VAL-03"));
  CHECK_THAT(parse_error("# only a comment\n"), contains("HDL-VAL-03"));
  CHECK_THAT(parse_error("a,b\n"), contains("t.csv:1: HDL-VAL-03") && contains("no rows"));
  CHECK_THAT(parse_error("a,a\n1,2\n"), contains("t.csv:1:3: HDL-VAL-03") && contains("'a'"));
  CHECK_THAT(parse_error("a,,b\n1,2,3\n"), contains("t.csv:1:3: HDL-VAL-03"));
  CHECK_THAT(parse_error("a,b\n1\n"), contains("t.csv:2:1: HDL-VAL-02") && contains("1 fields; the heading has 2"));
  CHECK_THAT(parse_error("a,b\n1,2,3\n"), contains("t.csv:2:5: HDL-VAL-02"));
  CHECK_THAT(parse_error("a,b\n1,\"2\n"), contains("t.csv:2:3: HDL-VAL-02") && contains("quote"));
  CHECK_THAT(parse_error("a,b\n1,\"2\"x\n"), contains("t.csv:2:6: HDL-VAL-02"));
  CHECK_THAT(parse_error(std::string_view("a,b\n1,\0\n", 8)), contains("t.csv:2: HDL-VAL-02"));
  CHECK_THAT(error_of([] { read_table("nowhere.csv"); }), contains("nowhere.csv: HDL-VAL-01"));
}

TEST_CASE("cells that are no numbers in range are refused with the place") {
  const auto table =
      parse_table("a,b\n1,1.5e3\nx,nan\n-1,inf\n0,-2\n99999999999999999999,0\n1e3,0x10\n,1e999\n", "t.csv");
  const auto& row = table->rows();
  CHECK(row[0].integer("a") == 1);
  CHECK(row[0].number("b") == 1500);
  for (std::size_t i = 1; i < row.size(); ++i) {
    CAPTURE(i);
    CHECK_THAT(error_of([&] { row[i].integer("a"); }), contains("t.csv:" + std::to_string(i + 2) + ":1: HDL-VAL-06"));
    CHECK_THAT(error_of([&] { row[i].positive("b"); }),
               contains("HDL-VAL-07") && contains("'" + row[i].text("b") + "'"));
  }
  CHECK(row[4].number("b") == 0);  // zero is a number, but nothing that an error can be a part of
  CHECK_THAT(error_of([&] { row[0].text("c"); }), contains("HDL-VAL-04") && contains("'c'"));
}

TEST_CASE("columns that are missing or unknown are named") {
  const auto table = parse_table("test,parms\na,b\n", "t.csv");
  CHECK_NOTHROW(table->require_columns({"test"}, {"parms"}));
  CHECK_THAT(error_of([&] {
               table->require_columns({"test", "params"}, {});
             }),
             contains("t.csv:1: HDL-VAL-04") && contains("lacks the column 'params'"));
  CHECK_THAT(error_of([&] { table->require_columns({"test"}, {"params"}); }),
             contains("t.csv:1:6: HDL-VAL-04") && contains("'parms'") && contains("did you mean 'params'"));
}
