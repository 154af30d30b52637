// SPDX-License-Identifier: Apache-2.0
// A stall account for people and for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "sim/trace/stalls.hpp"

namespace heddle::app {

inline constexpr std::string_view stalls_schema = "heddle.stalls/1";

// Bars of each engine (mean over the cores), the source lines that worked and waited longest, and the kernels.
std::string profile_text(const trace::Stalls& stalls);

// All of it, in femtoseconds: docs/profiling.md says what the keys mean.
nlohmann::json stalls_json(const trace::Stalls& stalls);

// "mxu0", "sequencer"
std::string agent_name(const trace::AgentStalls& agent);
// "instruction", "mnemonic", "engine", "file", "line"
nlohmann::json place_json(const trace::ProgramInfo& program, std::uint32_t pc);

// The source files that it names.
std::set<std::string> files_of(const trace::Stalls& stalls);

}  // namespace heddle::app
