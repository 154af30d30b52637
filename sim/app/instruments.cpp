// SPDX-License-Identifier: Apache-2.0
#include "sim/app/instruments.hpp"

#include <nlohmann/json.hpp>

#include "isa/base/error.hpp"
#include "sim/app/profile/hints.hpp"
#include "sim/app/profile/path_report.hpp"
#include "sim/app/profile/profile_report.hpp"
#include "sim/app/profile/roofline_report.hpp"
#include "sim/app/profile/source_text.hpp"
#include "sim/app/profile/timeline_report.hpp"
#include "sim/app/profile/what_if.hpp"
#include "sim/control/jitter.hpp"

namespace heddle::app {

void check_instruments(const CommonOptions& options, hdl_mode mode, bool simulated) {
  if (!options.trace.empty()) trace::require_trace_name(options.trace);
  if (!simulated && (options.profile || !options.trace.empty()))
    fail(ErrorKind::bad_input, "HDL-TRC-04", "{} is of the simulator; leave out the other targets",
         options.profile ? "a profile" : "--trace");
  if (mode == HDL_MODE_VALUES && (options.profile || !options.trace.empty()))
    fail(ErrorKind::bad_input, "HDL-TRC-03", "{} needs a clock: --mode timing or full, not values",
         options.profile ? "a profile" : "--trace");
}

void add_jitter(nlohmann::json& result, const CommonOptions& options) {
  if (options.jitter.empty()) return;
  const control::JitterOptions jitter = control::parse_jitter(options.jitter);
  result["jitter"] = {{"seed", jitter.seed}, {"max_cycles", nullptr}};
  if (result.at("mode") != "values") result["jitter"]["max_cycles"] = jitter.most_cycles;
}

Instruments::Instruments(const CommonOptions& options, const std::string& profiled_entry) : prints_(options) {
  if (!options.trace.empty()) {
    tracer_ = std::make_unique<trace::Tracer>(trace::make_trace_sink(options.trace), programs_, recorder_);
    recorder_.add(tracer_.get());
  }
  if (options.profile) {
    stalls_ = std::make_unique<trace::Stalls>(programs_);
    stalls_->count_only(profiled_entry);
    what_if_ = options.what_if;
    recorder_.add(stalls_.get());
    work_ = std::make_unique<trace::WorkCounts>(programs_);
    work_->count_only(profiled_entry);
    recorder_.add(work_.get());
    path_ = std::make_unique<trace::CriticalPath>(programs_);
    path_->count_only(profiled_entry);
    recorder_.add(path_.get());
    if (!options.json.empty()) {
      timeline_ = std::make_unique<trace::Timeline>(programs_);
      timeline_->count_only(profiled_entry);
      stalls_->tell(timeline_.get());
      recorder_.add(timeline_.get());
    }
  }
  if (tracer_ != nullptr || stalls_ != nullptr) installed_.emplace(&recorder_);
}

void Instruments::add_profile(nlohmann::json& result, const hdl_chip_info& chip) const {
  if (stalls_ == nullptr) return;
  result["stalls"] = stalls_json(*stalls_);
  const RooflineReport roofline(*stalls_, *work_, chip.hbm_bytes_per_second);
  result["roofline"].update(roofline.json());
  if (timeline_ != nullptr) result["timeline"] = timeline_json(*timeline_, *stalls_);
  result["critical_path"] = path_json(*path_);
  result["hints"] = hints_json(find_hints(*stalls_, *path_, roofline.hbm_share()), programs_);
  if (!what_if_.empty()) result["what_if"] = what_if_json(what_if_, stalls_->total());
  result["sources"] = source_text(files_of(*stalls_));
}

std::string Instruments::profile(const hdl_chip_info& chip) const {
  if (stalls_ == nullptr) return "";
  const RooflineReport roofline(*stalls_, *work_, chip.hbm_bytes_per_second);
  return profile_text(*stalls_) + roofline.text() + path_text(*path_) +
         hints_text(find_hints(*stalls_, *path_, roofline.hbm_share()), programs_) +
         what_if_text(what_if_, stalls_->total(), stalls_->period());
}

void Instruments::finish() {
  prints_.finish();
  if (tracer_ != nullptr) tracer_->finish();
}

}  // namespace heddle::app
