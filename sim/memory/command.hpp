// SPDX-License-Identifier: Apache-2.0
// What goes over a DRAM channel's command bus, for whoever wants to watch it.
#pragma once
#include <cstdint>
#include <vector>

namespace heddle::memory {

using Clock = std::int64_t;  // of a channel's command clock, from time 0

enum class Op : std::uint8_t {
  activate,
  precharge,
  read,
  write,
  read_precharge,
  write_precharge,
  refresh_all,
  refresh_bank
};

// A run of row hits is recorded as one command a burst, all at the time the run begins; `at` may therefore run ahead of
// later records. The precharge of read_precharge and write_precharge is the device's own, once tRTP or tWR and tRAS
// allow.
struct Command {
  Op op{};
  std::int16_t channel = 0;
  std::int16_t bank = 0;  // flat, as in DramAddress; refresh_all: the rank's first
  std::int32_t row = 0;   // of activate and column commands
  Clock at = 0;
};

}  // namespace heddle::memory
