// SPDX-License-Identifier: Apache-2.0
// A DRAM preset and a chip's MemorySpec put together: how many channels, at which clock, with which policies.
#pragma once
#include <cstdint>

#include "sim/config/chip_spec.hpp"
#include "sim/config/dram_preset.hpp"

namespace heddle::memory {

enum class Refresh : std::uint8_t { none, all_bank, per_bank };

struct DramSetup {
  config::DramSpec dram;
  int channels = 1;
  std::int64_t clock_fs = 0;  // of the command clock, scaled to give the spec's bandwidth
  bool closed_page = false;
  Refresh refresh = Refresh::all_bank;
  std::int64_t queue_depth = 32;
  std::int64_t path_fs = 0;  // between the network and the controller, each way
  std::int64_t peak_bytes_per_second = 0;
};

// Throws bad_input: HDL-DRAM-01/02 for the standard, HDL-MEM-02 for a value of the spec that is out of range.
DramSetup make_dram_setup(const config::MemorySpec& spec);

}  // namespace heddle::memory
