// SPDX-License-Identifier: Apache-2.0
// A stall account for people and for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sdk/runtime/device.hpp"
#include "sim/trace/stalls.hpp"

namespace heddle::app {

inline constexpr std::string_view stalls_schema = "heddle.stalls/1";

// Bars of each engine (mean over the cores), the source lines that worked and waited longest, the kernels, and where
// the run stands under the chip's roofline.
std::string profile_text(const trace::Stalls& stalls, const sdk::Counters& spent, const hdl_chip_info& chip);

// All of it, in femtoseconds: docs/profiling.md says what the keys mean.
nlohmann::json stalls_json(const trace::Stalls& stalls);

}  // namespace heddle::app
