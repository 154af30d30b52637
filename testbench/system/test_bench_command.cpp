// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

TEST_CASE("bench reports time, roofline and error of a kernel") {
  const Ran r = heddle("bench gemm --shape m=33,k=65,n=40 --dtype fp32");
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  CHECK_THAT(r.out, contains("gemm fp32") && contains("on edge") && contains("% of the roofline") &&
                        contains("max |error|") && contains("cycles"));
  const Ran list = heddle("bench --list");
  CHECK(list.status == 0);
  CHECK_THAT(list.out, contains("gemm") && contains("flash_attention") && contains("--shape m="));
}

TEST_CASE("bench gives the same as data") {
  const char* mode = GENERATE("values", "timing", "full");
  CAPTURE(mode);
  const Ran r = heddle(std::string("bench gemm --shape m=32,k=64,n=48 --json - --mode ") + mode);
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const nlohmann::json json = nlohmann::json::parse(r.out);
  CHECK(json["schema"] == "heddle.result/1");
  CHECK(json["kernel"] == "gemm");
  CHECK(json["dtype"] == "bf16");
  CHECK(json["shape"]["k"] == 64);
  CHECK(json["work"]["macs"] == 32 * 64 * 48);
  const bool timed = std::string(mode) != "values", valued = std::string(mode) != "timing";
  CHECK(json["cycles"].is_null() == !timed);
  CHECK(json["roofline"]["share"].is_null() == !timed);
  CHECK(json["max_abs_error"].is_null() == !valued);
  if (timed) {
    CHECK(json["roofline"]["share"].get<double>() > 0);
    CHECK(json["roofline"]["share"].get<double>() <= 1);
    // 102.4 GB/s; a is 4 KiB, b 6 KiB, c 3 KiB of bf16.
    CHECK(json["roofline"]["memory_ns"].get<double>() == Approx(13312 / 102.4).epsilon(0.001));
  }
  if (valued) {
    CHECK(json["correct"] == true);
    CHECK(json["max_rel_error"].get<double>() < 0.01);
  }
}

TEST_CASE("bench refuses what it cannot run, with what it could") {
  const auto complaint = [](const std::string& arguments) {
    const Ran r = heddle("bench " + arguments);
    CAPTURE(arguments, r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(lines(r.err) == 1);
    return r.err;
  };
  CHECK_THAT(complaint("gem"), contains("gemm"));
  CHECK_THAT(complaint("gemm --shape m=0"), contains("m"));
  CHECK_THAT(complaint("gemm --shape q=1"), contains("q"));
  CHECK_THAT(complaint("gemm --shape m"), contains("m"));
  CHECK_THAT(complaint("gemm --dtype fp7"), contains("bf16"));
  CHECK_THAT(complaint("gemm --dtype int32"), contains("int32"));
  CHECK_THAT(complaint("gemm --chip nowhere"), contains("nowhere"));
  complaint("gemm --shape m=99999999999999999999");
  complaint("gemm --shape m=1000000,k=1000000,n=1000000 --mode timing");  // 2 TB of operands on a 4 GiB chip
  CHECK_THAT(complaint("gemm --target rlt"), contains("rtl"));
  CHECK_THAT(complaint("gemm --bisect --mode timing"), contains("HDL-APP-31"));
  CHECK_THAT(complaint("gemm --bisect --profile"), contains("HDL-APP-31"));
  CHECK_THAT(complaint("gemm --tolerance 1"), contains("--bisect"));
  CHECK_THAT(complaint("gemm --compare sim"), contains("two targets"));
  CHECK_THAT(complaint("gemm --compare sim,sim"), contains("twice"));
  CHECK_THAT(complaint("gemm --compare sim,reference --mode full"), contains("--mode"));
  CHECK_THAT(complaint("gemm --target reference --mode full"), contains("values mode"));
}

TEST_CASE("bench runs a kernel on the plain CPU, and compares the simulator with it") {
  const Ran alone = heddle("bench gemm --target reference --shape m=17,k=40,n=9");
  CAPTURE(alone.err);
  REQUIRE(alone.status == 0);
  CHECK_THAT(alone.out, contains("max |error|"));
  const Ran both = heddle("bench gemm --compare sim,reference --shape m=17,k=40,n=9 --json -");
  CAPTURE(both.err);
  REQUIRE(both.status == 0);
  const nlohmann::json json = nlohmann::json::parse(both.out);
  CHECK(json["same_values"] == true);
  REQUIRE(json["targets"].size() == 2);
  CHECK(json["targets"][1]["target"] == "reference");
  CHECK(json["targets"][1]["values_hash"] == json["targets"][0]["values_hash"]);
}

// Where Verilator is not installed, one line says so.
TEST_CASE("bench puts the arrays in RTL and shows the difference") {
  const Ran r = heddle("bench gemm --compare sim,rtl,reference --shape m=20,k=40,n=24");
  CAPTURE(r.out, r.err);
  if (r.status == 2) {
    CHECK_THAT(r.err, contains("HDL-RTL-01") && contains("Verilator"));
    return;
  }
  REQUIRE(r.status == 0);
  CHECK_THAT(r.out, contains("on rtl") && contains("the same bits") && !contains("DIFFERENT"));
  CHECK(heddle("bench gemm --target rtl --shape m=20,k=40,n=24 --dtype int8").status == 0);
  // Of what the RTL is not, it says what it is instead.
  const Ran large = heddle("bench gemm --target rtl --chip edge --set core.mxu.rate.int8=1");
  CHECK(large.status == 2);
  CHECK_THAT(large.err, contains("HDL-RTL-03") && contains("64x64") && contains("16x16"));
  const Ran rate = heddle("bench gemm --target rtl --set core.mxu.rate.int8=2");
  CHECK(rate.status == 2);
  CHECK_THAT(rate.err, contains("rate.int8"));
  const Ran timing = heddle("bench gemm --target rtl --mode timing");
  CHECK(timing.status == 2);
  CHECK_THAT(timing.err, contains("full mode"));
}

TEST_CASE("bench --bisect finds no divergence where there is none") {
  const Ran r = heddle("bench gemm --bisect --shape m=65,k=130,n=67 --json -");
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const nlohmann::json json = nlohmann::json::parse(r.out);
  CHECK(json["correct"] == true);
  CHECK(json["divergence"].is_null());
  CHECK(json["instructions"].get<int>() > 4);
  CHECK_THAT(heddle("bench gemm --bisect --shape m=8,k=8,n=8 --mode values").out, contains("no divergence"));
}

// bf16 cannot give what this tolerance asks for.
TEST_CASE("bench --bisect names the first instruction that is off, with both values") {
  const std::string arguments =
      "bench flash_attention --bisect --tolerance 1e-3 --shape q_len=64,kv_len=64,q_heads=2,kv_heads=1";
  const Ran text = heddle(arguments);
  CAPTURE(text.out, text.err);
  REQUIRE(text.status == 1);
  CHECK_THAT(text.out, contains("first divergence      o[") && contains("the reference has") && contains("dma.copy") &&
                           contains("cause                 precision") && contains("attend.cpp:"));
  CHECK(lines(text.err) == 1);
  const nlohmann::json json = nlohmann::json::parse(heddle(arguments + " --json -").out);
  const nlohmann::json& d = json["divergence"];
  CHECK(d["tensor"] == "o");
  CHECK(d["launch"] == "main");
  CHECK(d["cause"] == "precision");
  CHECK(d["by"]["cycle"].get<int>() > 0);
  CHECK(d["first"]["got"] != d["first"]["in_double"]);
  CHECK(!d["behind"].empty());
}

TEST_CASE("bench --bisect --compare holds two targets against each other, instruction by instruction") {
  const Ran r = heddle("bench gemm --bisect --compare sim,reference --shape m=33,k=70,n=40 --json -");
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const nlohmann::json json = nlohmann::json::parse(r.out);
  CHECK(json["same_values"] == true);
  CHECK(json["instructions"].get<int>() > 4);
  CHECK(heddle("bench gemm --bisect --compare sim,reference --mode full").status == 2);
  const Ran rtl = heddle("bench gemm --bisect --compare sim,rtl --shape m=20,k=40,n=24");
  CHECK((rtl.status == 0 || rtl.err.find("HDL-RTL-01") != std::string::npos));
}

TEST_CASE("bench dram makes a row of each pattern") {
  const Ran r = heddle("bench dram --pattern seq,rand:256 --pattern stride:128 --requests 20000 --refresh none");
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  CHECK_THAT(r.out, contains("HBM2: 8 channels, 256.0 GB/s") && contains("\nseq ") && contains("\nrand:256 ") &&
                        contains("\nstride:128 ") && contains("20,000 requests of 64 B"));
  CHECK(lines(r.out) == 5);
  CHECK(lines(heddle("bench dram --all --requests 500").out) > 15);
}

// One request at a time to one open row: CL, the burst and the controller's two clocks; 16 + 2 ns.
TEST_CASE("bench dram gives the same as data") {
  const Ran r = heddle("bench dram --window 1 --requests 32 --refresh none --standard HBM2 --channels 1 --json -");
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const nlohmann::json json = nlohmann::json::parse(r.out);
  CHECK(json["schema"] == "heddle.result/1");
  CHECK(json["command"] == "bench dram");
  CHECK(json["memory"]["channels"] == 1);
  REQUIRE(json["rows"].size() == 1);
  const nlohmann::json& row = json["rows"][0];
  CHECK(row["latency_ns"]["median"] == 18);
  CHECK(row["row_hits"] == 31);
  CHECK(row["row_misses"] == 1);
  CHECK(row["cycles"] == 32 * 18 + 14);  // and the activate
  CHECK(row["host_requests_per_second"].get<double>() > 0);
}

TEST_CASE("bench noc holds a network to its busiest link") {
  const Ran r = heddle("bench noc --topology mesh2d --cores 16 --packets 100");
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  CHECK_THAT(r.out,
             contains("mesh2d of 16 cores") && contains("hotspot") && contains("transpose") && contains("core8 in"));
  const nlohmann::json json = nlohmann::json::parse(heddle("bench noc --pattern hotspot --json - --cores 4").out);
  CHECK(json["command"] == "bench noc");
  REQUIRE(json["rows"].size() == 1);
  CHECK(json["rows"][0]["cycles"].get<double>() >= json["rows"][0]["bound_cycles"].get<double>());
  const Ran bad = heddle("bench noc --pattern sideways");
  CHECK(bad.status == 2);
  CHECK_THAT(bad.err, contains("HDL-NOC-06") && contains("transpose"));
  CHECK(heddle("bench noc --topology moebius").status == 2);
}

TEST_CASE("bench dram takes the memory of a chip, and refuses what makes none") {
  CHECK_THAT(heddle("bench dram --chip tpu-v6e --requests 1000").out, contains("HBM"));
  const auto complaint = [](const std::string& arguments) {
    const Ran r = heddle("bench dram " + arguments);
    CAPTURE(arguments, r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(lines(r.err) == 1);
    return r.err;
  };
  CHECK_THAT(complaint("--pattern sideways"), contains("HDL-MEM-06") && contains("2streamB"));
  CHECK_THAT(complaint("--standard HBM9"), contains("HDL-DRAM-01") && contains("HBM2E"));
  CHECK_THAT(complaint("--mapping roxx"), contains("HDL-MEM-03") && contains("rorabgbachco"));
  CHECK_THAT(complaint("--window -1"), contains("HDL-MEM-07"));
  CHECK_THAT(complaint("--write-fraction 2"), contains("HDL-MEM-07"));
  CHECK_THAT(complaint("--inject sometimes"), contains("perch"));
  CHECK_THAT(complaint("--chip edge --set memory.model=ideal"), contains("HDL-APP-20"));
  CHECK_THAT(complaint("--set memory.model=ideal"), contains("--chip"));
}

}  // namespace
}  // namespace heddle::system_test
