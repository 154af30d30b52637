// SPDX-License-Identifier: Apache-2.0
// What the checkers find in a command's launches, collected until the last and then reported (docs/hazards.md).
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/app/command.hpp"
#include "sim/check/findings.hpp"

namespace heddle::app {

// Made before the device, and there as long as it.
class Hazards {
 public:
  // "hazards" in a result: null where no checker of races looked on.
  void add_to(nlohmann::json& result) const;
  // Lines for the end of a text result: what the program allows, and how often that was needed; mostly empty.
  std::string text() const;
  // Prints what nothing allows on stderr, and is `failed` then; else `otherwise`.
  ExitCode report(ExitCode otherwise) const;

 private:
  check::Findings findings_;
  check::Installed installed_{&findings_};
};

}  // namespace heddle::app
