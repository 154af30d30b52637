// SPDX-License-Identifier: Apache-2.0
// Drives a bank-state memory clock by clock the way a reference simulator was driven for dram_hbm2.csv: request streams
// by pattern name, a bound on what is outstanding, an offered rate, one queue for all channels or one for each.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/memory/bank_memory.hpp"

namespace heddle::testbench {

// A row of the table; the last members are what was measured.
struct DramRow {
  std::string ini, mapping, pattern;
  std::int64_t bytes = 64, requests = 0;
  double write_fraction = 0;
  std::int64_t window = 0;  // most outstanding; 0: no bound
  double rate = 0;          // offered a clock; 0: as fast as accepted
  bool per_channel = false;
  double cycles = 0, peak_percent = 0, latency_average = 0, latency_median = 0;  // latency < 0: posted
};

struct DramResult {
  std::int64_t cycles = 0;
  double peak_percent = 0, latency_average = 0, latency_median = 0;
};

std::vector<DramRow> read_dram_rows(const std::string& csv_path);
// The memory that the row's .ini names.
memory::DramSetup setup_of(const DramRow& row);
DramResult replay(const DramRow& row);

}  // namespace heddle::testbench
