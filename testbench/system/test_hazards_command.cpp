// SPDX-License-Identifier: Apache-2.0
// What a user sees of hazards: all of a run on stderr, in the JSON, in the exit code, and what the program allows.
#include <nlohmann/json.hpp>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

const std::string racy =
    "        .view a, spm, fp32, [4, 64]\n"
    "        .view b, spm, fp32, [4, 64], base=4096\n"
    "start:  view v1, a\n"
    "        view v2, b\n"
    "        dma.fill v1, 0.0\n"
    "        dma.fill v1, 0.0, on=1\n"
    "        dma.fill v2, 1.0\n"
    "        dma.fill v2, 2.0, on=1\n"
    "        fence\n"
    "        halt\n";

std::string allowed(const std::string& text) {
  std::string out = text;
  out.insert(out.find("        dma.fill v1, 0.0, on=1"), "        .allow \"HDL-RACE-01\", \"both write zeros\"\n");
  out.insert(out.find("        dma.fill v2, 1.0"), "        .endallow\n");
  return out;
}

}  // namespace

TEST_CASE("every race of a run is reported, the run goes on, and exit code 1 says so") {
  const std::string mode = GENERATE("values", "full");
  const TempFolder temp;
  temp.file("racy.s", racy);
  const Ran r = heddle("run racy.s --json out.json --set cores=1 --mode " + mode, temp.path());
  CHECK(r.status == 1);
  CHECK_THAT(r.out, contains("racy on edge"));  // the result is there
  CHECK_THAT(r.err, contains("racy.s:6: HDL-RACE-01") || contains("racy.s:5: HDL-RACE-01"));
  CHECK_THAT(r.err, contains("racy.s:8: HDL-RACE-01") || contains("racy.s:7: HDL-RACE-01"));
  const auto json = nlohmann::json::parse(read_file(temp.path() + "/out.json"));
  const auto& hazards = json.at("hazards");
  CHECK(hazards.at("schema") == "heddle.hazards/1");
  CHECK(hazards.at("failing") == 2);
  REQUIRE(hazards.at("findings").size() == 2);
  const auto& second = hazards.at("findings")[1];
  CHECK(second.at("id") == "HDL-RACE-01");
  CHECK(second.at("count") == 1);
  CHECK(second.at("ranges") == nlohmann::json::parse("[[4096, 5120]]"));
  CHECK(second.at("bytes") == 1024);
  CHECK(second.at("memory") == "spm");
  CHECK(second.at("first").at("line").get<int>() + second.at("second").at("line").get<int>() == 7 + 8);
  CHECK(second.at("suppression").is_null());
  CHECK(second.at("cycle").is_null() == (mode == "values"));
}

TEST_CASE("what the program allows is counted with its reason, and an unused reason is said to be one") {
  const TempFolder temp;
  temp.file("racy.s", allowed(racy));
  const Ran one = heddle("run racy.s --json out.json --set cores=1", temp.path());
  CHECK(one.status == 1);  // the other race
  CHECK_THAT(one.out, contains("  1 suppressed (once)   HDL-RACE-01, racy.s:6: both write zeros"));
  CHECK_THAT(one.err, !contains("racy.s:7"));
  const auto hazards = nlohmann::json::parse(read_file(temp.path() + "/out.json")).at("hazards");
  CHECK(hazards.at("failing") == 1);
  CHECK(hazards.at("suppressions")[0].at("reason") == "both write zeros");
  CHECK(hazards.at("suppressions")[0].at("count") == 1);
  CHECK(hazards.at("suppressions")[0].at("line") == 6);

  std::string clean = allowed(racy);
  for (const char* line : {"        dma.fill v1, 0.0\n", "        dma.fill v2, 1.0\n"})
    clean.erase(clean.find(line), std::string(line).size());
  temp.file("clean.s", clean);
  const Ran none = heddle("run clean.s --set cores=1", temp.path());
  CHECK(none.status == 0);
  CHECK_THAT(none.out, contains("  nothing to suppress   HDL-RACE-01, clean.s:5: both write zeros"));
}

TEST_CASE("without the checkers there is no finding, and the result says that nobody looked") {
  const std::string options = GENERATE("--check none", "--check uninit", "--mode timing");
  const TempFolder temp;
  temp.file("racy.s", racy);
  const Ran r = heddle("run racy.s --json - --set cores=1 " + options, temp.path());
  CHECK(r.status == 0);
  CHECK(nlohmann::json::parse(r.out).at("hazards").is_null());
}

TEST_CASE("an image keeps what its program allows") {
  const TempFolder temp;
  temp.file("racy.s", allowed(racy));
  REQUIRE(heddle("asm racy.s -o racy.hdi", temp.path()).status == 0);
  const Ran text = heddle("dis racy.hdi", temp.path());
  CHECK_THAT(text.out, contains(".allow \"HDL-RACE-01\", \"both write zeros\", 6, 0"));
  temp.file("again.s", text.out);
  REQUIRE(heddle("asm again.s -o again.hdi", temp.path()).status == 0);
  CHECK(read_file(temp.path() + "/racy.hdi") == read_file(temp.path() + "/again.hdi"));
}

}  // namespace heddle::system_test
