// SPDX-License-Identifier: Apache-2.0
// The array's cycles against closed forms that bare systolic arrays in RTL obey (rows of third-party suites, quoted in
// each case), and against counts worked out by hand for small programs.
#include "sim/compute/mxu_timing.hpp"

#include <string>

#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::failure_of;
using heddle::testing::Machine;

namespace {

const std::string plain = HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml";

config::MxuSpec array(std::int64_t rows, std::int64_t cols) {
  config::MxuSpec spec;
  spec.rows = rows;
  spec.cols = cols;
  spec.rate[static_cast<std::size_t>(DType::bf16)] = {1, 1};
  spec.rate[static_cast<std::size_t>(DType::int8)] = {2, 1};
  spec.rate[static_cast<std::size_t>(DType::fp32)] = {1, 4};
  return spec;
}

std::int64_t stream(std::int64_t rows, std::int64_t cols, std::int64_t t) {
  const config::MxuSpec spec = array(rows, cols);
  return compute::mxu_stream_cycles(spec, DType::bf16, t) + compute::mxu_drain_cycles(spec);
}

// Instructions before the load, and the load itself: it starts in cycle 4.
std::string program(int rows, const std::string& rest) {
  return ".view w, spm, bf16, [16, 16]\n.view a, spm, bf16, [" + std::to_string(rows) +
         ", 16], base=8192\n.view c, acc, fp32, [" + std::to_string(rows) +
         ", 16]\nview v1, w\nview v2, a\nview v3, c\n" + rest;
}

}  // namespace

TEST_CASE("a stream of T rows through an R x C array takes T + R + C - 2 cycles") {
  // R = C, T, cycles: the Verilog array "sysArr" under Verilator.
  const std::int64_t table[][3] = {{4, 1, 7},   {4, 4, 10},  {4, 8, 14},   {8, 1, 15},  {8, 8, 22},
                                   {8, 16, 30}, {16, 1, 31}, {16, 16, 46}, {16, 32, 62}};
  for (const auto& row : table) CHECK(stream(row[0], row[0], row[1]) == row[2]);
}

TEST_CASE("output-stationary takes 2R + C + K - 2 cycles a fold") {
  // R = C, K, cycles: the Verilog array "traditional_systolic" under Verilator.
  const std::int64_t table[][3] = {{4, 1, 11}, {4, 4, 14},  {4, 16, 26}, {4, 64, 74},  {8, 1, 23},
                                   {8, 8, 30}, {8, 64, 86}, {16, 1, 47}, {16, 16, 62}, {16, 64, 110}};
  for (const auto& row : table) {
    const config::MxuSpec spec = array(row[0], row[0]);
    CHECK(compute::mxu_output_stationary_cycles(spec, DType::bf16, row[0], row[1]) == row[2]);
    CHECK(compute::mxu_output_stationary_cycles(spec, DType::bf16, 3 * row[0], row[1]) == 3 * row[2]);
  }
}

TEST_CASE("an array that does not shift its results out says how long they take") {
  // 16 x 16, K = 32, one fold of 66 cycles and 16 of them: the RTL that STONNE was held to (IISWC 2021, table III).
  config::MxuSpec spec = array(16, 16);
  spec.fold_drain_cycles = 4;
  CHECK(compute::mxu_output_stationary_cycles(spec, DType::bf16, 16, 32) == 66);
  CHECK(4 * compute::mxu_output_stationary_cycles(spec, DType::bf16, 64, 32) == 1056);
}

TEST_CASE("K streams past resting results: it may be longer than the array is high") {
  const std::string text =
      ".view w, spm, bf16, [64, 16]\n.view a, spm, bf16, [16, 64], base=8192\n.view c, acc, fp32, [16, 16]\n"
      "view v1, w\nview v2, a\nview v3, c\nmxu.load v1\nmxu.matmul v3, v2 post s0\nsem.wait s0, 1\nhalt\n";
  // The load in cycle 4 costs its issue only, the products begin in cycle 5; halt takes one more.
  CHECK(Machine(plain, HDL_MODE_TIMING, {"core.mxu.dataflow=output_stationary"}).cycles(text) == 5 + 110 + 1);
  CHECK_THAT(failure_of([&] { Machine(plain, HDL_MODE_TIMING).cycles(text); }), contains("HDL-EXEC-07"));
}

TEST_CASE("loads and streams follow their rates, ragged tiles included") {
  config::MxuSpec spec = array(16, 8);
  CHECK(compute::mxu_load_cycles(spec, 16, 8, false) == 16);
  CHECK(compute::mxu_load_cycles(spec, 5, 8, false) == 5);
  CHECK(compute::mxu_load_cycles(spec, 16, 3, true) == 3);
  spec.load_rows_per_cycle = {2, 1};
  CHECK(compute::mxu_load_cycles(spec, 5, 8, false) == 3);
  spec.load_rows_per_cycle = {1, 4};
  CHECK(compute::mxu_load_cycles(spec, 5, 8, false) == 20);
  CHECK(compute::mxu_stream_cycles(spec, DType::int8, 5) == 3);
  CHECK(compute::mxu_stream_cycles(spec, DType::fp32, 5) == 20);
}

TEST_CASE("one tile: load, stream, drain") {
  Machine m(plain, HDL_MODE_TIMING);
  // Load in [4, 20), rows enter in [20, 36), the last leaves at 66, halt takes one more: 2R + C + T - 2 = 62 in all.
  CHECK(m.cycles(program(16, "mxu.load v1\nmxu.matmul v3, v2 post s0\nsem.wait s0, 1\nhalt")) == 67);
  CHECK(m.cycles(program(1, "mxu.load v1\nmxu.matmul v3, v2 post s0\nsem.wait s0, 1\nhalt")) == 52);
  CHECK(m.counter("core0.mxu0.macs") == 16 * 16 * 17);
}

TEST_CASE("what stands behind a sync does not begin before what the sync waits for") {
  Machine m(plain, HDL_MODE_TIMING);
  const std::uint64_t at_once = m.cycles(program(16, "mxu.load v1\nmxu.matmul v3, v2 post s0\nsem.wait s0, 1\nhalt"));
  std::string wait = "mxu.sync wait s1\nmxu.load v1\nmxu.matmul v3, v2 post s0\n";
  for (int i = 0; i < 100; ++i) wait += "nop\n";
  // Sync, load and matmul are issued in cycles 4 to 6, the post in cycle 107, a load alone in cycle 4.
  CHECK(m.cycles(program(16, wait + "sem.post s1, 1\nsem.wait s0, 1\nhalt")) == at_once + 103);
}

TEST_CASE("matmuls on the same weights overlap fill and drain") {
  Machine m(plain, HDL_MODE_TIMING);
  // Rows enter in [20, 36) and [36, 52); the last leaves at 82.
  CHECK(m.cycles(program(16,
                         "mxu.load v1\nmxu.matmul v3, v2\nmxu.matmul v3, v2, accumulate post s0\n"
                         "sem.wait s0, 1\nhalt")) == 83);
}

TEST_CASE("a background load runs beside the matmul before it, a serial one after its drain") {
  const std::string two =
      "mxu.load v1\nmxu.matmul v3, v2\nmxu.load v1\nmxu.matmul v3, v2 post s0\nsem.wait s0, 1\nhalt";
  SECTION("background") {
    Machine m(plain, HDL_MODE_TIMING);
    // Second load in [21, 37), beside the rows in [20, 36); its rows enter in [37, 53); out at 83.
    CHECK(m.cycles(program(16, two)) == 84);
  }
  SECTION("serial") {
    Machine m(plain, HDL_MODE_TIMING, {"core.mxu.background_load=false"});
    // Each tile alone takes 2R + C + T - 2 = 62 cycles: 4 + 2 * 62 + 1. (64^3 of such tiles: 16 * 110 = 1760 cycles.)
    CHECK(m.cycles(program(16, two)) == 4 + 2 * 62 + 1);
  }
}

TEST_CASE("a load may not overwrite weights that rows still stream through") {
  Machine m(plain, HDL_MODE_TIMING);
  // Loads A, B fill both sets; A's matmul of 64 rows enters in [20, 84), B's 1 row in [84, 85). The third load needs
  // A's set: free at 84, and in queue order B's matmul started at 84 first, so it loads in [85, 101), not a cycle
  // earlier; its row enters in [101, 102), out at 132.
  const std::string text =
      ".view one, spm, bf16, [1, 16]\n.view c1, acc, fp32, [1, 16]\n"
      "view v4, one\nview v5, c1\nmxu.load v1\nmxu.matmul v3, v2\nmxu.load v1\nmxu.matmul v5, v4\nmxu.load v1\n"
      "mxu.matmul v5, v4 post s0\nsem.wait s0, 1\nhalt";
  CHECK(m.cycles(program(64, text)) == 2 + 132 + 1);
}

TEST_CASE("int8 streams two rows a cycle unless both lie in one bank") {
  Machine m(plain, HDL_MODE_TIMING);
  const auto text = [](const std::string& stride) {
    return ".view w, spm, int8, [16, 16]\n.view a, spm, int8, [32, 16], " + stride +
           "base=8192\n.view c, acc, int32, [32, 16]\nview v1, w\nview v2, a\nview v3, c\n"
           "mxu.load v1\nmxu.matmul v3, v2 post s0\nsem.wait s0, 1\nhalt";
  };
  CHECK(m.cycles(text("")) == 4 + 16 + 16 + 30 + 1);                     // dense rows
  CHECK(m.cycles(text("strides=[1024, 1], ")) == 4 + 16 + 32 + 30 + 1);  // all rows begin in the same bank
}

TEST_CASE("an empty operand only waits and posts") {
  Machine m(plain, HDL_MODE_TIMING);
  CHECK(m.cycles(program(16,
                         "view v2, a, dim0=0, size0=x5\nview v3, c, dim0=0, size0=x5\n"
                         "mxu.load v1\nmxu.matmul v3, v2 post s0\nsem.wait s0, 1\nhalt")) != 0);
}
