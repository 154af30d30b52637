// SPDX-License-Identifier: Apache-2.0
// Which checkers look on, by name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace heddle::check {

struct Selection {
  bool races = true;   // HDL-RACE-01, HDL-SEM-05
  bool bounds = true;  // HDL-BOUND-01, HDL-BOUND-02
  bool uninit = true;  // HDL-EXEC-02
};

// "all", "none", or a list of "races", "bounds" and "uninit". Throws HDL-CHECK-01 (bad_input) for another name.
Selection parse_selection(std::string_view text);

// Takes the "check=..." entries out of a device's overrides; the last one holds.
Selection take_selection(std::vector<std::string>& overrides);

}  // namespace heddle::check
