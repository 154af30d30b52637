// SPDX-License-Identifier: Apache-2.0
// The hazards that a program's author may allow, with a reason, around the instructions that they concern
// (docs/hazards.md). What cannot be gone on after, such as a deadlock, is not among them.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace heddle::isa {

inline constexpr std::array<std::string_view, 5> allowable_hazards{"HDL-RACE-01", "HDL-SEM-05", "HDL-BOUND-01",
                                                                   "HDL-BOUND-02", "HDL-ACC-01"};

inline bool is_allowable(std::string_view hazard) {
  return std::find(allowable_hazards.begin(), allowable_hazards.end(), hazard) != allowable_hazards.end();
}

// A reason says something.
inline bool is_reason(std::string_view text) { return text.find_first_not_of(" \t\r\n") != std::string_view::npos; }

}  // namespace heddle::isa
