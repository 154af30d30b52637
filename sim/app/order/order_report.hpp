// SPDX-License-Identifier: Apache-2.0
// What many runs of one subject say together: do its values, or only its cycles, depend on the order?
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/app/order/trial.hpp"

namespace heddle::app {

class OrderReport {
 public:
  // trials: as of Trials::run(), none refused.
  OrderReport(std::string title, std::string chip, std::string mode, std::int64_t most_cycles,
              std::vector<Range> ranges, std::vector<Trial> trials);

  // "clean", "hazards" (though values were the same), "values_differ", "fails" (the run without jitter ends in an error
  // that no checker can be turned off for).
  const char* verdict() const;
  bool clean() const { return hazards_.empty() && differing_.empty() && !end_differs_; }
  std::string text() const;
  nlohmann::json json() const;  // heddle.check/1

 private:
  struct Hazard {
    TrialHazard first;                // as the first run that met it says
    std::vector<std::size_t> trials;  // numbers
  };
  struct Differing {
    std::size_t range;
    std::vector<std::size_t> trials;  // numbers; how the first of them differs:
    RangeDifference first;
  };
  std::string name_of(std::size_t trial) const;  // "with seed 3", "without jitter"
  std::string hazards_text() const;
  std::string values_text() const;
  std::string cycles_text() const;
  std::vector<std::uint64_t> sorted_cycles() const;  // of the runs with jitter

  std::string title_, chip_, mode_;
  std::int64_t most_cycles_;
  std::vector<Range> ranges_;
  std::vector<Trial> trials_;
  std::vector<Hazard> hazards_;       // in the order in which runs found them
  std::vector<Differing> differing_;  // by range
  bool end_differs_ = false;          // some runs end in an error, or in another one, than the first
};

}  // namespace heddle::app
