// SPDX-License-Identifier: Apache-2.0
// Checks a DRAM command trace against a preset's timings, written down here a second time from the JEDEC definitions:
// every pair of commands of a channel, the state of every bank, the command and data buses.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/config/dram_preset.hpp"
#include "sim/memory/command.hpp"

namespace heddle::testbench {

struct DramCheck {
  std::vector<std::string> violations;          // the first few
  std::map<std::string, std::int64_t> closest;  // by constraint: the least slack seen, 0 means it was met exactly
  std::int64_t commands = 0, refreshes = 0;
};

DramCheck check_commands(const config::DramSpec& spec, std::vector<memory::Command> trace);

}  // namespace heddle::testbench
