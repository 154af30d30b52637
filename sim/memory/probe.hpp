// SPDX-License-Identifier: Apache-2.0
// What the standards' timings allow one channel, measured on the model: each quantity has a closed form in the preset's
// numbers, which the model has to reach.
#pragma once
#include <string>
#include <vector>

#include "sim/memory/driver.hpp"

namespace heddle::memory {

struct Probe {
  double value = 0;  // GB/s, or ns of the device without the controller's own clocks
  double bound = 0;  // the closed form, from the preset
  bool latency = false;
  double clock_ns = 0;
};

// Of a channel of `standard` (a preset), one of probe_names():
//   stream_bg_interleaved_norefresh_GBs   consecutive bursts in other bank groups: a burst each max(tCCD_S, its beats)
//   stream_bg_interleaved_refresh_GBs     the same, less tRFC of every tREFI
//   stream_same_bankgroup_GBs             a burst each tCCD_L
//   random_closedrow_bound_GBs            an activate for each burst: a burst each max(tRRD_S, tFAW / 4); an upper
//   bound single_bank_conflict_GBs              one bank, another row each burst: a burst each tRC lat_row_hit_ns CL
//   and the burst lat_row_conflict_ns                   tRP, tRCD, CL and the burst
// Throws bad_input HDL-MEM-09 for another name, HDL-DRAM-01 for an unknown standard.
Probe probe(const std::string& standard, const std::string& name);
const std::vector<std::string>& probe_names();

// The preset that has the values of a reference's device ("DRAMsim3_HBM2_8Gb_x128"), or the name itself.
std::string preset_of_device(const std::string& name);

}  // namespace heddle::memory
