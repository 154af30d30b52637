// SPDX-License-Identifier: Apache-2.0
// heddle profile: every femtosecond of every engine has one reason, in every shipped kernel, and no cycle moves.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

std::vector<std::string> kernel_names() {
  std::istringstream list(heddle("bench --list").out);
  std::vector<std::string> names;
  for (std::string line; std::getline(list, line);)
    if (!line.empty() && line[0] != ' ') names.push_back(line.substr(0, line.find(' ')));
  return names;
}

nlohmann::json profiled(const std::string& arguments) {
  const Ran r = heddle("profile " + arguments + " --json -");
  CAPTURE(arguments, r.err);
  REQUIRE(r.status == 0);
  return nlohmann::json::parse(r.out);
}

// Every engine's reasons sum to the run; the rows by instruction to what has an instruction.
void check_sums(const nlohmann::json& result) {
  const nlohmann::json& stalls = result["stalls"];
  const std::int64_t total = stalls["total_fs"];
  CHECK(stalls["schema"] == "heddle.stalls/1");
  CHECK(total == std::llround(result["time_ns"].get<double>() * 1e6));
  std::int64_t at_instructions = 0, in_rows = 0;
  CHECK(!stalls["engines"].empty());
  for (const nlohmann::json& engine : stalls["engines"]) {
    std::int64_t sum = 0;
    for (const auto& [reason, fs] : engine["fs"].items()) {
      CHECK(fs > 0);
      sum += fs.get<std::int64_t>();
      if (reason != "drained" && reason != "off" && reason != "launch") at_instructions += fs.get<std::int64_t>();
    }
    CAPTURE(engine.dump());
    CHECK(sum == total);
  }
  for (const nlohmann::json& row : stalls["places"]) in_rows += row["fs"].get<std::int64_t>();
  CHECK(in_rows <= at_instructions);  // the last results on their way out belong to no instruction
  CHECK(in_rows > at_instructions * 9 / 10);
}

TEST_CASE("the reasons of every engine sum to the run, in every shipped kernel, and no cycle moves") {
  const std::vector<std::string> kernels = kernel_names();
  REQUIRE(kernels.size() > 5);
  for (const std::string& kernel : kernels) {
    CAPTURE(kernel);
    const std::string run = kernel + (kernel == "gemm_sharded" ? " --set cores=9" : "");  // it needs so many
    const nlohmann::json result = profiled(run);
    check_sums(result);
    const Ran plain = heddle("bench " + run + " --mode timing --json -");
    REQUIRE(plain.status == 0);
    CHECK(nlohmann::json::parse(plain.out)["cycles"] == result["cycles"]);
  }
}

TEST_CASE("the sequencer's and the engines' busy times are those of the counters") {
  const nlohmann::json r = profiled("gemm --shape m=64,k=256,n=256 --set cores=1");
  const nlohmann::json& counters = r["counters"];
  const std::int64_t period = r["stalls"]["period_fs"];
  for (const nlohmann::json& e : r["stalls"]["engines"]) {
    const std::string name = e["engine"];
    const auto fs = [&](const char* reason) { return e["fs"].value(reason, std::int64_t{0}); };
    const auto counted = [&](const std::string& what) {
      return counters["core0." + name + "." + what].get<std::int64_t>();
    };
    CAPTURE(e.dump());
    if (name == "sequencer") {
      CHECK(fs("busy") / period == counted("busy"));
      CHECK(fs("queue full") / period == counted("queue_full"));
      CHECK(fs("fence") / period == counted("fence"));
    } else if (name.starts_with("mxu")) {
      CHECK((fs("busy") + fs("bank conflict") + fs("weight load")) / period == counted("busy"));
    } else if (name.starts_with("vpu")) {
      CHECK((fs("busy") + fs("bank conflict")) / period == counted("busy"));
    }
  }
}

TEST_CASE("a wait is put down to the post that ended it") {
  const nlohmann::json r = profiled("gemm --shape m=64,k=256,n=256 --set cores=1");
  std::int64_t for_dma = 0;
  for (const nlohmann::json& row : r["stalls"]["places"])
    if (row["unit"] == "mxu" && row["reason"] == "semaphore") {
      REQUIRE(row.contains("posted_by"));
      CHECK(!row["posted_by"]["file"].get<std::string>().empty());
      if (row["posted_by"]["engine"].get<std::string>().starts_with("dma")) for_dma += row["fs"].get<std::int64_t>();
    }
  CHECK(for_dma > 0);  // the operands come by DMA
}

TEST_CASE("profile prints bars, lines and kernels, of a kernel and of a program") {
  const Ran kernel = heddle("profile gemm");
  CAPTURE(kernel.out);
  REQUIRE(kernel.status == 0);
  for (const char* part : {"each engine's time", "mxu0", "source lines by work", "source lines by stall",
                           "kernels, in cycles", "roofline:", ".cpp:"})
    CHECK(kernel.out.find(part) != std::string::npos);
  const Ran program = heddle("profile " HEDDLE_SOURCE_DIR "/testbench/golden/cycles/programs/vector.s");
  REQUIRE(program.status == 0);
  CHECK(program.out.find("vector.s:") != std::string::npos);
}

TEST_CASE("what profile refuses") {
  const auto refused = [](const std::string& arguments, const char* id) {
    const Ran r = heddle("profile " + arguments);
    CAPTURE(arguments, r.err);
    CHECK(r.status == 2);
    CHECK(r.err.find(id) != std::string::npos);
    CHECK(lines(r.err) == 1);
  };
  refused("gemm --mode values", "HDL-TRC-03");
  refused("gemm --arg 1", "HDL-APP-14");
  refused(HEDDLE_SOURCE_DIR "/testbench/golden/cycles/programs/vector.s --shape m=1", "HDL-APP-14");
}

}  // namespace
}  // namespace heddle::system_test
