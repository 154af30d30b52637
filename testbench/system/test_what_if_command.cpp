// SPDX-License-Identifier: Apache-2.0
// heddle profile --what-if: the same program again, on a chip with a part that takes no time.
#include <map>
#include <nlohmann/json.hpp>

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

std::map<std::string, double> gains(const std::string& kernel) {
  const nlohmann::json result = result_of("profile " + kernel + " --what-if");
  const double total = result["stalls"]["total_fs"];
  std::map<std::string, double> out;
  for (const nlohmann::json& part : result["what_if"]) {
    CHECK(part["gain"].get<double>() == Approx(1 - part["time_fs"].get<double>() / total).margin(1e-9));
    out[part["name"]] = part["gain"];
  }
  CHECK(out.size() == 7);
  return out;
}

// Timing anomalies are real: a part that is faster may order requests of others worse. They are small.
constexpr double anomaly = 0.02;

void check_gains(const std::string& kernel, const std::string& most) {
  const std::map<std::string, double> g = gains(kernel);
  CAPTURE(kernel);
  for (const auto& [name, gain] : g) {
    CAPTURE(name, gain);
    CHECK(gain >= -anomaly);
    CHECK(gain <= g.at("all") + anomaly);
    if (name != "all") CHECK(gain <= g.at(most));
  }
  CHECK(g.at(most) > 0.15);  // of the decode product, the DMA engines' data paths leave no more
}

TEST_CASE("a product of one row gains most from its memory, one of many from its array, a top-k from its VPU") {
  check_gains("gemm --shape m=1,k=4096,n=4096", "hbm");
  check_gains("gemm --shape m=1024,k=1024,n=1024", "mxu");
  check_gains("topk", "vpu");
}

TEST_CASE("the same program runs, whatever part is instant") {
  const nlohmann::json real = result_of("bench gemm --mode timing")["counters"];
  for (const char* set : {"memory.model=instant", "core.dma.start=0ns", "core.mxu.instant=true",
                          "core.vpu.instant=true", "noc.topology=instant", "core.sequencer.instant=true"}) {
    const nlohmann::json other = result_of(std::string("bench gemm --mode timing --set ") + set)["counters"];
    CAPTURE(set);
    for (const char* counter :
         {"instructions", "tile_instructions", "hbm.bytes_read", "hbm.bytes_written", "core0.mxu0.macs"})
      CHECK(other[counter] == real[counter]);
  }
}

TEST_CASE("what-ifs of a program and of a run file, and of chosen parts") {
  const std::string program = HEDDLE_SOURCE_DIR "/testbench/golden/cycles/programs/vector.s";
  const nlohmann::json chosen = result_of("profile " + program + " --what-if=vpu");
  REQUIRE(chosen["what_if"].size() == 1);
  CHECK(chosen["what_if"][0]["name"] == "vpu");
  CHECK(chosen["what_if"][0]["set"][0] == "core.vpu.instant=true");
  const nlohmann::json two = result_of("profile " + program + " --what-if=vpu,hbm");
  CHECK(two["what_if"].size() == 3);
  CHECK(two["what_if"][2]["name"] == "all");
  CHECK(!result_of("profile " + program).contains("what_if"));

  const Ran text = heddle("profile gemm --what-if=mxu");
  CHECK(text.status == 0);
  CHECK(text.out.find("what if a part of the chip took no time") != std::string::npos);
  CHECK(text.err.empty());
}

TEST_CASE("what --what-if refuses") {
  const auto refused = [](const std::string& arguments, const char* id) {
    const Ran r = heddle("profile " + arguments);
    CAPTURE(arguments, r.err);
    CHECK(r.status == 2);
    CHECK(r.err.find(id) != std::string::npos);
    CHECK(lines(r.err) == 1);
  };
  refused("gemm --what-if=hmb", "HDL-APP-50");
  refused("gemm --what-if --mode values", "HDL-TRC-03");
  refused("gem --what-if", "HDL-KRN-01");
}

}  // namespace
}  // namespace heddle::system_test
