// SPDX-License-Identifier: Apache-2.0
// What heddle validate shows: text for a person, JSON for a program, a figure for a page.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/app/validate/summary.hpp"

namespace heddle::validate {

std::string text_report(const TableResult& table);
std::string figures_text(const Figures& figures);  // one line, no newline

// Keys: schema, command, chip, mode and the other keys of every result (null here), tables, host_seconds.
nlohmann::json json_report(const std::vector<TableResult>& tables, double host_seconds);

// An SVG document: measured (across) against simulated (up), both axes logarithmic, a +-10 % band, a bar over all
// measured values where there are several; one colour a table, or a kind of row of a single one. Zeros, which have
// no place on such axes, are left out and counted in the note under the figure.
std::string plot_svg(const std::vector<TableResult>& tables);

}  // namespace heddle::validate
