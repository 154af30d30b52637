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

// The path's kinds sum to the run, and so do its rows by core and by instruction but for the launch overhead.
void check_path(const nlohmann::json& result) {
  const nlohmann::json& path = result["critical_path"];
  const std::int64_t total = path["total_fs"];
  CHECK(path["schema"] == "heddle.critical_path/1");
  CHECK(total == result["stalls"]["total_fs"].get<std::int64_t>());
  const auto sum = [](const nlohmann::json& rows) {
    std::int64_t all = 0;
    for (const nlohmann::json& row : rows) all += row["fs"].get<std::int64_t>();
    return all;
  };
  std::int64_t kinds = 0;
  for (const auto& [kind, fs] : path["kinds"].items()) {
    CHECK(fs > 0);
    kinds += fs.get<std::int64_t>();
  }
  CHECK(kinds == total);
  const std::int64_t launch = path["kinds"].value("launch", std::int64_t{0});
  CHECK(sum(path["cores"]) == total - launch);
  CHECK(sum(path["places"]) == total - launch);
  if (result["kernel"] != "gemm_array") CHECK(!path["handoffs"].empty());  // the array alone hands nothing over
  for (const nlohmann::json& scope : path["scopes"])
    for (const auto& [kind, fs] : scope["fs"].items()) CHECK(fs <= path["kinds"][kind]);
}

TEST_CASE("the reasons of every engine sum to the run, in every shipped kernel, and no cycle moves") {
  const std::vector<std::string> kernels = kernel_names();
  REQUIRE(kernels.size() > 5);
  for (const std::string& kernel : kernels) {
    CAPTURE(kernel);
    const std::string run = kernel + (kernel == "gemm_sharded" ? " --set cores=9" : "");  // it needs so many
    const nlohmann::json result = profiled(run);
    check_sums(result);
    check_path(result);
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

TEST_CASE("the critical path is what bounds the kernel") {
  const auto share = [](const nlohmann::json& result, const char* kind) {
    const nlohmann::json& path = result["critical_path"];
    return path["kinds"].value(kind, 0.0) / path["total_fs"].get<double>();
  };
  CHECK(share(profiled("gemm --shape m=1024,k=1024,n=1024"), "MXU") > 0.6);
  CHECK(share(profiled("gemm --shape m=1,k=4096,n=4096"), "HBM") > 0.7);
  CHECK(share(profiled("topk"), "VPU") > 0.7);
}

TEST_CASE("hints name the rule that applies, with its number and place") {
  const auto hint = [](const nlohmann::json& result, const std::string& rule) {
    for (const nlohmann::json& h : result["hints"])
      if (h["rule"] == rule) return h;
    CAPTURE(rule, result["hints"].dump());
    FAIL("no such hint");
    return nlohmann::json();
  };
  const nlohmann::json one_row_block = profiled("mlp");
  std::map<std::string, double> mxu;
  for (const nlohmann::json& e : one_row_block["stalls"]["engines"])
    if (e["engine"].get<std::string>().starts_with("mxu"))
      for (const auto& [reason, fs] : e["fs"].items()) mxu[reason] += fs.get<double>();
  const nlohmann::json load = hint(one_row_block, "exposed-weight-load");
  CHECK(load["number"].get<double>() ==
        Approx(100 * mxu["weight load"] / (mxu["busy"] + mxu["weight load"] + mxu["bank conflict"])));
  CHECK(load["unit"] == "%");
  CHECK(load["place"]["mnemonic"] == "mxu.load");
  CHECK(load["text"].get<std::string>().find("raise the row block") != std::string::npos);
  CHECK(hint(one_row_block, "imbalance")["place"].is_null());  // it runs on one of two cores
  hint(profiled("gemm_l1"), "turns");
  hint(profiled("gemm"), "array-bound");
  hint(profiled("topk"), "vector-bound");
  CHECK(hint(profiled("gemm --shape m=1,k=4096,n=4096"), "memory-bandwidth")["place"]["mnemonic"] == "dma.copy");
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
                           "kernels, in cycles", "roofline:", "critical path:", " -> ", "hints, by rule", ".cpp:"})
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
