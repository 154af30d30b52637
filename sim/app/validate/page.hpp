// SPDX-License-Identifier: Apache-2.0
// A page on what tables of measurements say about the simulator: figures, worst rows, plots, and what a person wrote.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/app/validate/summary.hpp"

namespace heddle::validate {

// What a person wrote about a table: lines "key: value" up to the first empty line, then Markdown. Keys:
//   title       heading of the section
//   target      what was aimed at, in words
//   mean, row   what was aimed at, as numbers: mean and worst error in percent
//   mean-points, row-points    the same of shares
//   published   what published simulators reach on the table
struct Notes {
  std::string title, target, published, text;
  // Below 0: no such target.
  double mean = -1, row = -1, mean_points = -1, row_points = -1;
};
// Throws HDL-VAL-15 with the place for a line before the empty one that is none of these.
Notes parse_notes(std::string_view text, const std::string& file);

// The page at `path` ("docs/accuracy.md"). Its folder of the same name ("docs/accuracy") holds what people wrote,
// intro.md and STEM.md of each table (either may be missing), and gets the plots, STEM.svg. Throws bad_input when
// something cannot be read or written.
void write_page(const std::string& path, const std::vector<TableResult>& tables);

}  // namespace heddle::validate
