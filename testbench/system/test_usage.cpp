// SPDX-License-Identifier: Apache-2.0
// What every command owes its user: exit codes, one line on stderr for a mistake, help on stdout.
#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

TEST_CASE("help and version go to stdout and succeed") {
  const char* arguments = GENERATE("--help", "help", "help diff", "--version", "chip --help", "chip show --help",
                                   "docs --help", "run --help", "check --help", "diff --help", "report --help",
                                   "asm --help", "dis --help", "generate --help", "bench --help");
  CAPTURE(arguments);
  const Ran r = heddle(arguments);
  CHECK(r.status == 0);
  CHECK(!r.out.empty());
  CHECK(r.err.empty());
}

TEST_CASE("bad usage is one line on stderr, nothing on stdout, exit code 2") {
  const char* arguments =
      GENERATE("", "no-such-command", "help no-such-command", "--no-such-option", "chip", "chip show",
               "chip frobnicate", "chip list extra", "docs", "docs nothing", "check", "chip show edge --set",
               "chip show edge --no-such-option", "run", "asm", "dis", "run x.yaml --mode sideways", "diff",
               "diff a.json", "report", "report a.json", "report a.json -o /no/such/folder/r.html",
               "diff a.json b.json --max-regression -1", "generate", "bench", "chip show ''", "asm x.s", "run ''");
  CAPTURE(arguments);
  const Ran r = heddle(arguments);
  CAPTURE(r.err);
  CHECK(r.status == 2);
  CHECK(r.out.empty());
  CHECK(lines(r.err) == 1);
  CHECK_THAT(r.err, contains("HDL-") || Catch::Matchers::StartsWith("heddle"));
}

TEST_CASE("a misspelt command is named") {
  const Ran r = heddle("chpi list");
  CHECK_THAT(r.err, contains("chpi") && contains("did you mean 'chip'?"));
}

TEST_CASE("the generated reference pages in the tree are what the program prints") {
  // On a difference: build/release/sim/app/heddle docs PAGE > the file
  const auto is_current = [](const std::string& page, const std::string& file) {
    return heddle("docs " + page).out == read_file(HEDDLE_SOURCE_DIR "/docs/" + file);
  };
  CHECK(is_current("config", "config.md"));
  CHECK(is_current("isa", "isa/instructions.md"));
}

}  // namespace
}  // namespace heddle::system_test
