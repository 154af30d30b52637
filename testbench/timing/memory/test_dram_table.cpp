// SPDX-License-Identifier: Apache-2.0
// The measured DRAM table against the model: within 3 % where the pattern leaves nothing to chance, within 8 % where
// the requests are random (theirs are not ours), idle latencies within 2 ns.
#include <cmath>

#include "testbench/support/catch.hpp"
#include "testbench/support/dram_driver.hpp"

using namespace heddle;

TEST_CASE("The bank model reproduces the measured table") {
  const auto rows = testbench::read_dram_rows(HEDDLE_SOURCE_DIR "/testbench/golden/ground_truth/dram_hbm2.csv");
  REQUIRE(rows.size() >= 50);
  double sum = 0;
  for (const testbench::DramRow& row : rows) {
    const memory::DriveResult got = testbench::replay(row);
    const double error = 100.0 * (static_cast<double>(got.clocks) - row.cycles) / row.cycles;
    sum += std::fabs(error);
    const bool by_chance = row.pattern.rfind("rand", 0) == 0 || row.write_fraction > 0;
    INFO(row.ini << " " << row.mapping << " " << row.pattern << " writes " << row.write_fraction << " window "
                 << row.window << " rate " << row.rate << ": " << row.cycles << " cycles measured, " << got.clocks
                 << " here");
    CHECK(std::fabs(error) <= (by_chance ? 8.0 : 3.0));
    if (row.latency_average >= 0) {
      const double allowed = row.window == 1 ? 2.0
                             : by_chance     ? 0.12 * row.latency_average + 2
                                             : 0.16 * row.latency_average;
      INFO("latency " << row.latency_average << " measured, " << got.latency_average_ns << " here");
      CHECK(std::fabs(got.latency_average_ns - row.latency_average) <= allowed);
    }
  }
  WARN("mean error in cycles over " << rows.size() << " rows: " << sum / static_cast<double>(rows.size()) << " %");
}
