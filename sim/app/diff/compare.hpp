// SPDX-License-Identifier: Apache-2.0
// Two runs side by side, as tables that the terminal and the page both show.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/app/diff/run.hpp"

namespace heddle::diff {

struct Row {
  std::vector<std::string> labels;
  std::optional<double> before, after;  // absent: that run does not have it
  Quantity quantity{};

  double change() const { return after.value_or(0) - before.value_or(0); }
};

struct Table {
  std::string title;
  std::vector<std::string> columns;  // of the labels
  std::vector<Row> rows;             // the totals as they are; else what changed, largest change first
  std::size_t unchanged = 0;         // rows left out
};

struct Difference {
  std::string text;         // "the chips differ: edge before, tpu-v6e after"
  bool other_work = false;  // the two did not do the same, or not on the same machine
};

struct Comparison {
  Run before, after;
  std::vector<Difference> differences;  // in what was run
  std::vector<std::string> notes;       // what could not be compared
  std::vector<Table> tables;            // totals first

  // (after - before) / before of the whole run's cycles, in percent.
  std::optional<double> cycles_change() const;
};

Comparison compare(Run before, Run after);

// "+4.2 %"; "new", "gone" and "" where there is no such number.
std::string percent_text(const Row& row);
std::string value_text(const std::optional<double>& value, Quantity quantity);  // "-" when absent
std::string change_text(const Row& row);                                        // with its sign

// At most `most` rows of each table but the first.
std::string text_of(const Comparison& c, std::size_t most);
std::string page_of(const Comparison& c);  // HTML, self-contained

}  // namespace heddle::diff
