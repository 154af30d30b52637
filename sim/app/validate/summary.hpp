// SPDX-License-Identifier: Apache-2.0
// What a table's errors come to: honest error is the absolute error of each row, its mean, its median and its worst.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "sim/app/validate/run_cases.hpp"

namespace heddle::validate {

// Of |error| over measurements that count errors alike.
struct Figures {
  std::string group;  // empty: of the whole table
  std::string unit;   // "%": mean is the MAPE; "pt"; else the measurements' unit
  std::size_t count = 0;
  double mean = 0;
  double median = 0;
  double worst = 0;
  std::string worst_label;
  double worst_signed = 0;
  std::size_t judged = 0;   // that have a tolerance
  std::size_t outside = 0;  // and miss it
};

struct TableResult {
  std::string path;
  std::string stem;
  std::vector<std::string> comments;
  std::vector<Case> cases;
  std::vector<CaseOutcome> outcomes;  // one a case

  // Of the whole table, one for each unit; then of each group, if there are several. In order of first appearance.
  std::vector<Figures> figures() const;
  std::size_t failures() const;
  std::vector<std::string> chips() const;  // and other machines; distinct, in order
};

}  // namespace heddle::validate
