// SPDX-License-Identifier: Apache-2.0
// heddle profile: every femtosecond of every engine has one reason, in every shipped kernel, and no cycle moves.
#include <cmath>
#include <map>
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

std::int64_t fs_of(const nlohmann::json& rows) {
  std::int64_t sum = 0;
  for (const nlohmann::json& row : rows) sum += row["fs"].get<std::int64_t>();
  return sum;
}

// The reasons sum to the run: of each engine; of all engines, by source line and what belongs to none; of each kernel,
// to the lines in it. To the femtosecond.
void check_sums(const nlohmann::json& result) {
  const nlohmann::json& stalls = result["stalls"];
  const std::int64_t total = stalls["total_fs"];
  CHECK(stalls["schema"] == "heddle.stalls/1");
  CHECK(total == std::llround(result["time_ns"].get<double>() * 1e6));
  CHECK(!stalls["engines"].empty());
  for (const nlohmann::json& engine : stalls["engines"]) {
    std::int64_t sum = 0;
    for (const auto& [reason, fs] : engine["fs"].items()) {
      CHECK(fs > 0);
      sum += fs.get<std::int64_t>();
    }
    CAPTURE(engine.dump());
    CHECK(sum == total);
  }
  CHECK(fs_of(stalls["places"]) + fs_of(stalls["no_instruction"]) ==
        total * static_cast<std::int64_t>(stalls["engines"].size()));
  std::map<std::string, std::int64_t> by_scope;  // of instructions in it and in no inner one
  for (const nlohmann::json& row : stalls["places"]) {
    if (row["line"] == 0 && row["mnemonic"] != "halt") FAIL_CHECK("without a source line: " << row.dump());
    by_scope[row["scope"]] += row["fs"].get<std::int64_t>();
  }
  CHECK(!stalls["scopes"].empty());
  for (const nlohmann::json& scope : stalls["scopes"]) {
    const std::string path = scope["scope"];
    CAPTURE(path);
    std::int64_t reasons = 0, lines_in_it = 0;
    for (const nlohmann::json& times : scope["fs"])
      for (const nlohmann::json& fs : times) reasons += fs.get<std::int64_t>();
    for (const auto& [inner, fs] : by_scope)
      if (inner == path || inner.starts_with(path + "/")) lines_in_it += fs;
    CHECK(reasons == lines_in_it);
  }
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
