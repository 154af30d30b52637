// SPDX-License-Identifier: Apache-2.0
// Arrays that differ from the plain one: tiles of a fixed least length, loads that start with the matmul before them,
// adder trees, registers around the cells, output-stationary folds that overlap. Cycles worked out by hand on the plain
// chip: the first load starts in cycle 4, halt takes one more.
#include <string>

#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using heddle::testing::Machine;

namespace {

const std::string plain = HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml";

// Load and matmul, `tiles` times: `rows` of k on a tile of [k, 16].
std::string tiles(int rows, int k, int count) {
  const std::string r = std::to_string(rows), depth = std::to_string(k);
  std::string text = ".view w, spm, bf16, [" + depth + ", 16]\n.view a, spm, bf16, [" + r + ", " + depth +
                     "], base=8192\n.view c, acc, fp32, [" + r + ", 16]\nview v1, w\nview v2, a\nview v3, c\n";
  for (int i = 0; i < count; ++i)
    text += std::string("mxu.load v1\nmxu.matmul v3, v2") + (i + 1 == count ? " post s0\n" : "\n");
  return text + "sem.wait s0, 1\nhalt";
}

std::uint64_t cycles(const std::vector<std::string>& overrides, const std::string& text) {
  Machine m(plain, HDL_MODE_TIMING, overrides);
  return m.cycles(text);
}

const std::string output_stationary = "core.mxu.dataflow=output_stationary";

}  // namespace

TEST_CASE("with issue_cycles 0 a load starts with the matmul before it: a tile every 16 cycles") {
  // Load in [4, 20); tile i streams in [20 + 16 i, 36 + 16 i) while the next one loads; 30 of drain.
  const std::vector<std::string> zero{"core.mxu.issue_cycles=0"};
  CHECK(cycles(zero, tiles(16, 16, 1)) == 4 + 16 + 16 + 30 + 1);
}
TEST_CASE("... and so for each further tile") {
  CHECK(cycles({"core.mxu.issue_cycles=0"}, tiles(16, 16, 4)) == 4 + 16 + 4 * 16 + 30 + 1);
}
TEST_CASE("with issue_cycles 1 the load starts a cycle later: 17 a tile") {
  CHECK(cycles({}, tiles(16, 16, 4)) == 4 + 16 + 16 + 3 * 17 + 30 + 1);
}

TEST_CASE("a stream takes least_stream_cycles, however few its rows") {
  CHECK(cycles({"core.mxu.least_stream_cycles=4"}, tiles(1, 16, 1)) == 4 + 16 + 4 + 30 + 1);
}
TEST_CASE("... and not more where it has as many rows") {
  CHECK(cycles({"core.mxu.least_stream_cycles=4"}, tiles(5, 16, 1)) == 4 + 16 + 5 + 30 + 1);
}

TEST_CASE("a load takes least_load_cycles, however small its tile") {
  CHECK(cycles({"core.mxu.least_load_cycles=16"}, tiles(16, 3, 1)) == 4 + 16 + 16 + 30 + 1);
}
TEST_CASE("a small tile loads faster where nothing else is said") {
  CHECK(cycles({}, tiles(16, 3, 1)) == 4 + 3 + 16 + 30 + 1);
}

TEST_CASE("pipeline_cycles delay completion and leave the rate") {
  CHECK(cycles({"core.mxu.pipeline_cycles=10", "core.mxu.issue_cycles=0"}, tiles(16, 16, 4)) ==
        4 + 16 + 4 * 16 + 30 + 10 + 1);
}
TEST_CASE("adder trees have no skew") { CHECK(cycles({"core.mxu.skew=false"}, tiles(16, 16, 1)) == 4 + 16 + 16 + 1); }
TEST_CASE("a serial load waits for the drain, not for the registers behind the array") {
  CHECK(cycles({"core.mxu.background_load=false", "core.mxu.pipeline_cycles=10"}, tiles(16, 16, 2)) ==
        4 + 2 * 62 + 10 + 1);
}

TEST_CASE("output-stationary folds one by one: 2R + C + K - 2 each") {
  // A load names the tile and takes its issue cycle.
  CHECK(cycles({output_stationary}, tiles(16, 16, 2)) == 5 + 2 * 62 + 1);
}
TEST_CASE("overlapped folds follow each other every K cycles, and one drain is left") {
  // K = 16: matmuls in [5, 21), [21, 37), [37, 53); 30 to the last sum, 16 to shift the last results out.
  CHECK(cycles({output_stationary, "core.mxu.overlap_folds=true", "core.mxu.issue_cycles=0"}, tiles(16, 16, 3)) ==
        5 + 3 * 16 + 30 + 16 + 1);
}
TEST_CASE("rows past the array's are further folds, and a fold has a least length") {
  CHECK(cycles({output_stationary, "core.mxu.overlap_folds=true", "core.mxu.issue_cycles=0",
                "core.mxu.least_fold_cycles=16"},
               tiles(17, 5, 2)) == 5 + 2 * 2 * 16 + 46 + 1);
}
TEST_CASE("initial sums shift in before the first fold, and under the folds after it") {
  CHECK(cycles({output_stationary, "core.mxu.overlap_folds=true", "core.mxu.issue_cycles=0",
                "core.mxu.least_load_cycles=16"},
               tiles(16, 16, 3)) == 4 + 16 + 3 * 16 + 46 + 1);
}

TEST_CASE("phases: every row passes that many times") {
  CHECK(cycles({"core.mxu.phases=4"}, tiles(16, 16, 1)) == 4 + 16 + 4 * 16 + 30 + 1);
}
TEST_CASE("stream_share: 15 of 16 cycles take a row, so 16 rows need 18") {
  CHECK(cycles({"core.mxu.stream_share=15/16"}, tiles(16, 16, 1)) == 4 + 16 + 18 + 30 + 1);  // ceil(16 * 16 / 15)
}
TEST_CASE("both: phases count in the peak, the share does not") {
  Machine m(plain, HDL_MODE_TIMING, {"core.mxu.phases=2", "core.mxu.stream_share=1/2"});
  CHECK(m.cycles(tiles(16, 16, 1)) == 4 + 16 + 2 * 2 * 16 + 30 + 1);
}
