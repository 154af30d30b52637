// SPDX-License-Identifier: Apache-2.0
// What a profile suggests to try, by rules: each with its name, the number that made it speak, and the instruction that
// it is about. docs/profiling.md lists the rules with their thresholds.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/trace/critical_path.hpp"
#include "sim/trace/stalls.hpp"

namespace heddle::app {

struct Hint {
  std::string rule;
  double number = 0;                                             // percent
  double weight = 0;                                             // percent of the run that it is about, at most
  std::string text;                                              // with the number in it
  std::optional<std::pair<std::uint32_t, std::uint32_t>> place;  // program, instruction
};

// hbm_share: bytes moved against what the memory's bandwidth allows in the run's time, 0 .. 1. What weighs most first.
std::vector<Hint> find_hints(const trace::Stalls& stalls, const trace::CriticalPath& path, double hbm_share);

std::string hints_text(const std::vector<Hint>& hints, const trace::Programs& programs);
nlohmann::json hints_json(const std::vector<Hint>& hints, const trace::Programs& programs);

}  // namespace heddle::app
