// SPDX-License-Identifier: Apache-2.0
// What a command's options ask to be watched while a device runs.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sdk/runtime/device.hpp"
#include "sim/app/command.hpp"
#include "sim/app/prints.hpp"
#include "sim/trace/critical_path.hpp"
#include "sim/trace/stalls.hpp"
#include "sim/trace/timeline.hpp"
#include "sim/trace/tracer.hpp"
#include "sim/trace/work.hpp"

namespace heddle::app {

// Before anything is done. Throws bad_input: HDL-TRC-01 for the name of a trace, HDL-TRC-03 for one, or a
// profile, of a run without a clock.
// HDL-TRC-04 where another target than the simulator runs.
void check_instruments(const CommonOptions& options, hdl_mode mode, bool simulated = true);

// "jitter" in a result, where --jitter was given: {"seed", "max_cycles"}, the latter null without a clock.
void add_jitter(nlohmann::json& result, const CommonOptions& options);

// Made before the device, and there as long as it. Watches nothing, and costs nothing, unless the options ask for it.
class Instruments {
 public:
  // profiled_entry: whose launches a profile counts; empty: all.
  explicit Instruments(const CommonOptions& options, const std::string& profiled_entry = {});
  // After the last launch; the trace is complete then.
  void finish();
  // Of the launches so far, when the options ask for a profile; else nothing. In a result "stalls", "critical_path",
  // "hints", "timeline", "sources", and more keys of "roofline".
  void add_profile(nlohmann::json& result, const hdl_chip_info& chip) const;
  std::string profile(const hdl_chip_info& chip) const;
  // "prints" in a result, where the program printed anything.
  void add_prints(nlohmann::json& result) const { prints_.add_to(result); }

 private:
  ShownPrints prints_;
  trace::Programs programs_;
  trace::Recorder recorder_{programs_};
  std::unique_ptr<trace::Tracer> tracer_;
  std::unique_ptr<trace::Stalls> stalls_;
  std::unique_ptr<trace::WorkCounts> work_;    // there when stalls_ is
  std::unique_ptr<trace::CriticalPath> path_;  // the same
  std::unique_ptr<trace::Timeline> timeline_;  // the same, for a result as JSON
  std::vector<WhatIf> what_if_;
  std::optional<trace::Installed> installed_;
};

}  // namespace heddle::app
