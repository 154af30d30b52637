// SPDX-License-Identifier: Apache-2.0
// --jitter SEED: other cycles, the same values where the program orders what it must; the same seed, the same run.
#include <nlohmann/json.hpp>
#include <set>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

nlohmann::json result_of(const std::string& arguments) {
  const Ran r = heddle(arguments + " --json -");
  CAPTURE(arguments, r.err);
  REQUIRE(r.status == 0);
  return nlohmann::json::parse(r.out);
}

TEST_CASE("jitter moves the cycles of a clean kernel and not its values, in the same way for the same seed") {
  const std::string bench = "bench gemm --shape m=130,k=200,n=150";
  const nlohmann::json plain = result_of(bench);
  CHECK(!plain.contains("jitter"));
  std::set<std::int64_t> cycles{plain["cycles"]};
  for (const char* seed : {"1", "2", "3"}) {
    const nlohmann::json r = result_of(bench + " --jitter " + seed);
    CHECK(r["values_hash"] == plain["values_hash"]);
    CHECK(r["instructions"] == plain["instructions"]);
    CHECK(r["jitter"] == nlohmann::json{{"seed", std::stoi(seed)}, {"max_cycles", 4096}});
    CHECK(result_of(bench + " --jitter " + seed)["cycles"] == r["cycles"]);
    CHECK(result_of(bench + " --mode timing --jitter " + seed)["cycles"] == r["cycles"]);
    cycles.insert(r["cycles"].get<std::int64_t>());
  }
  CHECK(cycles.size() == 4);
}

TEST_CASE("jitter leaves a model's text alone") {
  const std::string run = "run configs/run/first-light.yaml --set max_new_tokens=3";
  const nlohmann::json plain = result_of(run);
  const nlohmann::json shaken = result_of(run + " --jitter 5,1000");
  CHECK(shaken["values_hash"] == plain["values_hash"]);
  CHECK(shaken["text"] == plain["text"]);
  CHECK(shaken["cycles"] != plain["cycles"]);
  CHECK(shaken["jitter"]["max_cycles"] == 1000);
}

TEST_CASE("the reasons of every engine sum to the run under jitter too") {
  const nlohmann::json r = result_of("profile flash_attention --jitter 4");
  for (const nlohmann::json& engine : r["stalls"]["engines"]) {
    std::int64_t sum = 0;
    for (const auto& [reason, fs] : engine["fs"].items()) sum += fs.get<std::int64_t>();
    CHECK(sum == r["stalls"]["total_fs"]);
  }
}

TEST_CASE("a race whose run is right by luck is wrong under jitter, in time and in a drawn order") {
  const TempFolder folder;
  std::string x(1024, '\0');
  for (std::size_t i = 0; i < x.size(); i += 4) x[i + 2] = '\x80', x[i + 3] = '\x3f';  // 1.0
  const std::string run = "run testbench/system/programs/lucky.s --check none --arg file:" + folder.file("x", x) +
                          " --arg zeros:1KiB --arg zeros:32KiB --dump 1=" + folder.path() + "/y --mode ";
  const auto y = [&](const std::string& arguments) {
    REQUIRE(heddle(run + arguments).status == 0);
    return read_file(folder.path() + "/y");
  };
  for (const std::string mode : {"full", "values"}) {
    CAPTURE(mode);
    const std::string right = y(mode);
    std::set<std::string> shaken;
    for (int seed = 0; seed < 12; ++seed) shaken.insert(y(mode + " --jitter " + std::to_string(seed)));
    CHECK(shaken.size() == 2);  // exp(x), and exp of what lay there before
    CHECK(shaken.contains(right));
    CHECK(right.substr(0, 4) == "\x54\xf8\x2d\x40");  // exp(1)
  }
}

TEST_CASE("a jitter that is none is bad usage") {
  for (const std::string text : {"x", "1,0", "1,2,3", "''"}) {
    const Ran r = heddle("bench gemm --jitter " + text);
    CAPTURE(text, r.err);
    CHECK(r.status == 2);
    CHECK(lines(r.err) == 1);
    CHECK_THAT(r.err, contains("HDL-JIT-01"));
  }
}

}  // namespace
}  // namespace heddle::system_test
