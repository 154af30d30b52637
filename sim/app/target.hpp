// SPDX-License-Identifier: Apache-2.0
// What a program runs on: the simulator, the simulator with its arrays in RTL, or a plain CPU.
#pragma once
#include <string>
#include <vector>

#include "isa/abi/device.h"
#include "sim/app/command.hpp"

namespace heddle::app {

inline constexpr const char* target_list = "sim|rtl|reference";

struct Target {
  std::string name;
  const hdl_api* api = nullptr;
  hdl_mode standard_mode = HDL_MODE_FULL;  // where --mode is not given
};
// Throws bad_input HDL-APP-18 naming the nearest.
Target find_target(const std::string& name);
// "sim,rtl": each of them once, in order.
std::vector<Target> find_targets(const std::string& list);

// The chip that is meant where --chip is not given: RTL exists for small arrays only.
std::string chip_for(const Target& target, const CommonOptions& common, bool chip_given);

}  // namespace heddle::app
