// SPDX-License-Identifier: Apache-2.0
// What programs print, on its way to people (stderr) and into the result ("prints").
#pragma once
#include <nlohmann/json.hpp>

#include "sim/app/command.hpp"
#include "sim/inspect/prints.hpp"

namespace heddle::app {

// Made before the device, and there as long as it.
class ShownPrints {
 public:
  explicit ShownPrints(const CommonOptions& options);
  ~ShownPrints() { finish(); }
  // Says what could not be shown.
  void finish();
  // "prints": an array in the order in which they were shown; nothing where there is none.
  void add_to(nlohmann::json& result) const;

 private:
  void show(const inspect::Printed& p);

  bool quiet_;
  bool finished_ = false;
  bool keep_json_;
  nlohmann::json all_ = nlohmann::json::array();
  inspect::Prints prints_;
  inspect::InstalledPrints installed_;
};

}  // namespace heddle::app
