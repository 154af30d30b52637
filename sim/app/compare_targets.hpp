// SPDX-License-Identifier: Apache-2.0
// One kernel on several targets, side by side.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kernels/harness/run_case.hpp"
#include "sim/app/target.hpp"

namespace heddle::app {

struct TargetRun {
  Target target;
  hdl_mode mode = HDL_MODE_FULL;
  kernels::CaseResult result;
};

// The first run's outputs, bit for bit, and its cycles against every other's that has a clock.
class Comparison {
 public:
  explicit Comparison(std::vector<TargetRun> runs);
  bool same_values() const;
  bool same_cycles() const;
  bool correct() const;  // each within the kernel's tolerance of its reference
  std::string text() const;
  nlohmann::json json() const;

 private:
  struct Row {
    bool same_values = true;
    std::int64_t more_cycles = 0;
    std::string first_difference;  // of values
  };
  std::vector<TargetRun> runs_;
  std::vector<Row> rows_;
};

}  // namespace heddle::app
