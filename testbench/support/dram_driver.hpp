// SPDX-License-Identifier: Apache-2.0
// The rows of dram_hbm2.csv and how each is run.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/memory/driver.hpp"

namespace heddle::testbench {

// A row of the table; the last members are what was measured.
struct DramRow {
  std::string ini, mapping, pattern;
  std::int64_t bytes = 64, requests = 0;
  double write_fraction = 0;
  std::int64_t window = 0;  // most outstanding; 0: no bound
  double rate = 0;          // offered a clock; 0: as fast as accepted
  bool per_channel = false;
  double cycles = 0, peak_percent = 0;
  double latency_average = 0, latency_median = 0, latency_p99 = 0;  // ns; < 0: posted
};

std::vector<DramRow> read_dram_rows(const std::string& csv_path);
memory::DriveResult replay(const DramRow& row);

}  // namespace heddle::testbench
