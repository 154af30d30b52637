// SPDX-License-Identifier: Apache-2.0
// heddle check: a race whose values depend on the order, a clean kernel whose cycles alone do, the same answer each
// time.
#include <nlohmann/json.hpp>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

// 1024 bytes of fp32 1.0, so that exp(x) and exp of the zeros before it differ.
std::string ones() {
  std::string x(1024, '\0');
  for (std::size_t i = 0; i < x.size(); i += 4) x[i + 2] = '\x80', x[i + 3] = '\x3f';
  return x;
}

TEST_CASE("check finds the race, the values that depend on the order, and says where") {
  const TempFolder folder;
  const std::string lucky = "check testbench/system/programs/lucky.s --arg file:" + folder.file("x", ones()) +
                            " --arg zeros:1KiB --arg zeros:32KiB --seeds 8";
  const Ran r = heddle(lucky + " --json -");
  CAPTURE(r.err);
  CHECK(r.status == 1);
  CHECK(lines(r.err) == 1);
  const nlohmann::json j = nlohmann::json::parse(r.out);
  CHECK(j["schema"] == "heddle.check/1");
  CHECK(j["verdict"] == "values_differ");
  REQUIRE(j["hazards"].size() == 1);  // one pair of instructions, in whichever order they came
  CHECK(j["hazards"][0]["id"] == "HDL-RACE-01");
  CHECK(j["hazards"][0]["seeds"].size() == 9);  // also where this run's order was right
  CHECK(j["hazards"][0]["seeds"][0] == nullptr);
  // exp(1) = 0x402df854 without jitter, exp(0) = 0x3f800000 with some seeds; of the argument and of the scratchpad.
  REQUIRE(j["differences"].size() == 2);
  const nlohmann::json& d = j["differences"][0];
  CHECK(d["where"] == "argument 1");
  CHECK(d["first_byte"] == 0);
  CHECK(d["without_jitter"] == "0x54");
  CHECK(d["with_seed"] == "0x00");
  CHECK(!d["seeds"].empty());
  CHECK(j["differences"][1]["where"] == "spm of core 0");
  CHECK(j["differences"][1]["first_byte"] == 4096);
  CHECK(j["runs"].size() == 9);
  CHECK(j["cycles"]["min"] <= j["cycles"]["median"]);
  CHECK(j["cycles"]["median"] <= j["cycles"]["max"]);
  CHECK(heddle(lucky + " --json - --jobs 1").out == r.out);
  const Ran text = heddle(lucky);
  for (const char* part : {"HDL-RACE-01 in all 9 runs; without jitter:", "lucky.s:29", "argument 1 DIFFERS with ",
                           "values depend on the order\n"})
    CHECK_THAT(text.out, contains(part));
  const Ran orders = heddle(lucky + " --mode values --json -");
  CHECK(nlohmann::json::parse(orders.out)["verdict"] == "values_differ");
  CHECK(nlohmann::json::parse(orders.out)["cycles"] == nullptr);
}

TEST_CASE("of a clean kernel the cycles alone depend on the order") {
  const Ran r = heddle("check gemm --shape m=130,k=200,n=150 --seeds 4 --max-delay 500 --json -");
  CAPTURE(r.err);
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  const nlohmann::json j = nlohmann::json::parse(r.out);
  CHECK(j["verdict"] == "clean");
  CHECK(j["hazards"].empty());
  CHECK(j["differences"].empty());
  CHECK(j["max_cycles"] == 500);
  CHECK(j["cycles"]["min"] < j["cycles"]["max"]);
  const Ran bench = heddle("bench gemm --shape m=130,k=200,n=150 --jitter 3,500 --json -");
  CHECK(nlohmann::json::parse(bench.out)["cycles"] == j["runs"][3]["cycles"]);
  CHECK_THAT(heddle("check gemm --shape m=16,k=16,n=16 --seeds 3").out,
             contains("clean: cycles alone depend on the order"));
  // Operands that lie in the scratchpads go through prepare and collect.
  CHECK_THAT(heddle("check gemm_resident --shape m=64,k=64,n=64 --seeds 2").out, contains("the same in all 3 runs"));
}

TEST_CASE("a program that fails in every order is reported once, and exits 1") {
  const Ran r = heddle("check testbench/system/programs/deadlock.s --seeds 2");
  CHECK(r.status == 1);
  CHECK_THAT(r.out, contains("HDL-SEM-01 in all 3 runs") && contains("the program fails in every order tried"));
}

TEST_CASE("what check refuses") {
  const auto refused = [](const std::string& arguments, const char* id) {
    const Ran r = heddle("check " + arguments);
    CAPTURE(arguments, r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(lines(r.err) == 1);
    CHECK_THAT(r.err, contains(id));
  };
  refused("gemm --arg 3", "HDL-APP-14");
  refused("testbench/system/programs/lucky.s --shape m=3", "HDL-APP-14");
  refused("testbench/system/programs/lucky.s", "HDL-APP-06");
  refused("no-kernel", "HDL-KRN-01");
  refused("gemm --seeds 0", "--seeds");
  refused("gemm --set core.dma.in_flight=0", "HDL-CFG-13");
  refused("gemm --dtype int4", "HDL-KRN-03");
}

}  // namespace
}  // namespace heddle::system_test
