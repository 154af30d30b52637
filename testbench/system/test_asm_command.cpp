// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

const std::string programs = HEDDLE_SOURCE_DIR "/testbench/system/programs/";

TEST_CASE("what dis prints assembles back to the same bytes") {
  const char* name = GENERATE("axpy", "constants", "deadlock", "fibonacci", "matmul");
  CAPTURE(name);
  const TempFolder temp;
  REQUIRE(heddle("asm " + programs + name + ".s -o first.hdi", temp.path()).status == 0);
  const Ran text = heddle("dis first.hdi", temp.path());
  REQUIRE(text.status == 0);
  temp.file("again.s", text.out);
  REQUIRE(heddle("asm again.s", temp.path()).status == 0);  // the image's name comes from the text's
  CHECK(read_file(temp.path() + "/again.hdi") == read_file(temp.path() + "/first.hdi"));
  CHECK(heddle("dis first.hdi -o out.s", temp.path()).status == 0);
  CHECK(read_file(temp.path() + "/out.s") == text.out);
}

TEST_CASE("a mistake in assembly text has its place, the line and what was meant") {
  const TempFolder temp;
  temp.file("k.s", "start:  halt\n        mxu.lod v1\n");
  const Ran r = heddle("asm k.s -o k.hdi", temp.path());
  CHECK(r.status == 2);
  CHECK(r.out.empty());
  CHECK_THAT(r.err, Catch::Matchers::StartsWith(
                        "k.s:2:9: HDL-ASM-03: unknown instruction 'mxu.lod'; did you mean 'mxu.load'?") &&
                        contains("2 |") && contains("^"));
  CHECK_FALSE(std::filesystem::exists(temp.path() + "/k.hdi"));
}

TEST_CASE("files that cannot be read, written or trusted are refused") {
  const TempFolder temp;
  REQUIRE(heddle("asm " + programs + "matmul.s -o good.hdi", temp.path()).status == 0);
  const std::string good = read_file(temp.path() + "/good.hdi");
  temp.file("short.hdi", good.substr(0, good.size() / 2));
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 1);
  temp.file("flipped.hdi", flipped);
  temp.file("text.hdi", "not an image\n");
  temp.file("empty.hdi", "");
  temp.file("empty.s", "");
  const char* arguments =
      GENERATE("dis short.hdi", "dis flipped.hdi", "dis text.hdi", "dis empty.hdi", "dis none.hdi", "dis .",
               "asm none.s", "asm empty.s", "asm .", "dis good.hdi -o /nonexistent/x.s", "asm empty.s -o empty.s");
  CAPTURE(arguments);
  const Ran r = heddle(arguments, temp.path());
  CAPTURE(r.err);
  CHECK(r.status == 2);
  CHECK(r.out.empty());
  CHECK_THAT(r.err, contains("HDL-"));
}

}  // namespace
}  // namespace heddle::system_test
