// SPDX-License-Identifier: Apache-2.0
// A timeline for programs: docs/profiling.md says what the keys mean.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "sim/trace/timeline.hpp"

namespace heddle::app {

inline constexpr std::string_view timeline_schema = "heddle.timeline/1";

// `stalls` names the agents; of the same launches.
nlohmann::json timeline_json(const trace::Timeline& timeline, const trace::Stalls& stalls);

}  // namespace heddle::app
