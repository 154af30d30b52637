// SPDX-License-Identifier: Apache-2.0
// The critical path for people and for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/trace/critical_path.hpp"

namespace heddle::app {

inline constexpr std::string_view path_schema = "heddle.critical_path/1";

// What the run's end waited for: by kind, by source line, and who handed on to whom.
std::string path_text(const trace::CriticalPath& path);

// All of it, in femtoseconds: docs/profiling.md says what the keys mean.
nlohmann::json path_json(const trace::CriticalPath& path);

}  // namespace heddle::app
