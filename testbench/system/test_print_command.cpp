// SPDX-License-Identifier: Apache-2.0
// What a program prints, from the command line: where it goes, how it looks, what it costs.
#include <nlohmann/json.hpp>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

const std::string run = "run testbench/system/programs/print.s --set cores=1 --arg zeros:16B";

}  // namespace

TEST_CASE("prints show what program order says, on stderr, with cycle, core and line") {
  const Ran r = heddle(run + " --mode full");
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  CHECK(r.out.find("before") == std::string::npos);
  const std::string program = "testbench/system/programs/print.s";
  CHECK(r.err.find(program +
                   ":13: before = spm fp32 [2, 4] at 0x0\n    0 1 2 3\n    0 1 2 3\n    min 0, max 3, mean 1.5\n") !=
        std::string::npos);
  CHECK(r.err.find(program + ":15: after = spm fp32 [2, 4] at 0x0\n     0 10 20 30\n     0  1  2  3\n") !=
        std::string::npos);
  CHECK(r.err.find(program + ":17, run 3: turn = 3 (0x3)\n") != std::string::npos);
  CHECK(r.err.find(": out = hbm fp32 [4] at ") != std::string::npos);
  CHECK(r.err.find(program + ":22: unset: no value: no view was put into v9 before\n") != std::string::npos);
  CHECK(r.err.rfind("core 0, cycle ", 0) == 0);
}

TEST_CASE("prints are in the JSON result, and --quiet keeps them from stderr") {
  const Ran r = heddle(run + " --mode values --json - --quiet");
  REQUIRE(r.status == 0);
  CHECK(r.err.empty());
  const auto prints = nlohmann::json::parse(r.out).at("prints");
  REQUIRE(prints.size() == 7);
  CHECK(prints[0].at("label") == "before");
  CHECK(prints[0].at("cycle").is_null());
  CHECK(prints[0].at("values") == std::vector<double>{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(prints[1].at("values") == std::vector<double>{0, 10, 20, 30, 0, 1, 2, 3});
  CHECK(prints[1].at("statistics").at("max") == 30);
  CHECK(prints[4].at("value") == 3);
  CHECK(prints[4].at("run") == 3);
  CHECK(prints[5].at("values") == std::vector<double>{0, 10, 20, 30});
  CHECK(prints[6].contains("no_value"));
}

TEST_CASE("prints cost no cycle and survive assembly, disassembly and images") {
  const TempFolder temp;
  const std::string source = read_file(HEDDLE_SOURCE_DIR "/testbench/system/programs/print.s");
  std::string plain;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = source.find('\n', at);
    const std::string line = source.substr(at, end - at + 1);
    if (line.find(".print") == std::string::npos) plain += line;
    at = end + 1;
  }
  temp.file("plain.s", plain);
  const auto cycles = [&](const std::string& program) {
    const Ran r = heddle("run " + program + " --set cores=1 --arg zeros:16B --json - --quiet", temp.path());
    CAPTURE(r.err);
    REQUIRE(r.status == 0);
    const auto json = nlohmann::json::parse(r.out);
    return std::pair(json.at("cycles").get<int>(), json.value("prints", nlohmann::json::array()).size());
  };
  REQUIRE(heddle("asm " HEDDLE_SOURCE_DIR "/testbench/system/programs/print.s -o print.hdi", temp.path()).status == 0);
  const Ran text = heddle("dis print.hdi", temp.path());
  temp.file("again.s", text.out);
  REQUIRE(heddle("asm again.s -o again.hdi", temp.path()).status == 0);
  CHECK(read_file(temp.path() + "/print.hdi") == read_file(temp.path() + "/again.hdi"));
  CHECK(cycles("print.hdi") == std::pair(cycles("plain.s").first, std::size_t{7}));
}

TEST_CASE("a flood of prints ends at the limit, and timing mode says that it has no values") {
  const Ran few = heddle(run + " --max-prints 2");
  REQUIRE(few.status == 0);
  CHECK(few.err.find("prints: 2 prints are shown, 5 more are not (--max-prints)\n") != std::string::npos);
  const Ran timing = heddle(run + " --mode timing");
  CHECK(timing.err.find("turn = 1") != std::string::npos);
  CHECK(timing.err.find("prints: 3 prints of tiles are not shown: timing mode computes no values\n") !=
        std::string::npos);
}

TEST_CASE("a run that fails shows what it printed on its way") {
  const TempFolder temp;
  temp.file("fail.s", ".view t, spm, fp32, [4]\nview v1, t\ndma.fill v1, 2.0\nfence\n.print v1, \"filled\"\ntrap 7\n");
  const Ran r = heddle("run fail.s --set cores=1", temp.path());
  CHECK(r.status == 2);
  CHECK(r.err.find("fail.s:5: filled = spm fp32 [4] at 0x0\n    2 2 2 2\n") != std::string::npos);
  CHECK(r.err.find("HDL-EXEC-09") != std::string::npos);
}

TEST_CASE("prints that mean nothing are refused with their place") {
  const TempFolder temp;
  const auto refused = [&](const std::string& text, const std::string& why) {
    temp.file("bad.s", text);
    const Ran r = heddle("asm bad.s -o bad.hdi", temp.path());
    CAPTURE(text, r.err);
    CHECK(r.status == 2);
    CHECK(r.err.find(why) != std::string::npos);
  };
  refused("halt\n.print x5, \"late\"\n", "bad.s:2:8: HDL-ASM-09");
  refused(".print x32, \"no\"\nhalt\n", "bad.s:1:8: HDL-ASM-02");
  refused(".print view none, \"no\"\nhalt\n", "HDL-ASM-04: unknown view 'none'");
  refused(".print x1, \"no\", size0=x3\nhalt\n", "HDL-ASM-04: there is no option 'size0' here");
  refused(".keep x3, addi, x1, x0, 4\nhalt\n", "HDL-ASM-02");
  refused(".keep t3, lw, x1, x0, 4\nhalt\n", "HDL-ASM-03");
  refused(".keep t3, ld, x1, x0, 4\nhalt\n", "HDL-IMG-04: print step 0: ld of SMEM byte 4");
  refused(".print x1, \"no\", from=[9]\nhalt\n", "HDL-IMG-04: print step 0: jump 9");
}

}  // namespace heddle::system_test
