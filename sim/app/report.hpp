// SPDX-License-Identifier: Apache-2.0
// What a run did with the machine, from the device's counters: for a person as text, for a program as JSON.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sdk/runtime/device.hpp"

namespace heddle::app {

// Each part of 1: busy cycles over all cycles, averaged over the units of a kind; HBM: bytes over what its peak
// bandwidth would have moved in the time.
struct Utilization {
  double mxu = 0;
  double vpu = 0;
  double dma = 0;
  double sequencer = 0;
  double hbm = 0;
};

struct Report {
  std::string chip;
  std::string mode;  // values, timing, full
  std::uint64_t cycles = 0;
  double time_ns = 0;
  Utilization utilization;
  std::uint64_t bytes_read = 0;     // of HBM
  std::uint64_t bytes_written = 0;  // of HBM
  std::uint64_t instructions = 0;
  std::uint64_t tile_instructions = 0;
  double host_seconds = 0;

  bool timed() const { return mode != "values"; }
};

std::string_view name(hdl_mode mode);
hdl_mode parse_mode(std::string_view name);  // of "values", "timing", "full"

// `spent` is what the counters moved by during the run.
Report make_report(const sdk::Counters& spent, const hdl_chip_info& chip, hdl_mode mode, double host_seconds);

// "  where the time went   HBM 91 %   MXU 12 % ..." and what bounds the run: two lines, empty for the values mode.
std::string utilization_text(const Report& report);
// "  moved 13.1 GB, 41.2 M instructions, 263 M cycles; 17 host seconds", without a final newline.
std::string totals_text(const Report& report);

// The keys that every result has: schema, command, chip, mode, cycles, time_ns, utilization, bytes, instructions,
// tile_instructions, host_seconds.
nlohmann::json to_json(const Report& report, std::string_view command);

// Numbers as people read them: "13.1 GB", "41.2 M", "18.4 ms", "263,112".
std::string bytes_text(double bytes);
std::string count_text(double count);
std::string time_text(double nanoseconds);
std::string grouped(std::uint64_t number);

}  // namespace heddle::app
