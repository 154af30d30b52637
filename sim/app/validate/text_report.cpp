// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/app/validate/reports.hpp"

namespace heddle::validate {
namespace {

std::string number_text(double v) {
  const double a = std::abs(v);
  if (v == std::floor(v) && a < 1e15) return fmt::format("{:.0f}", v);
  return a >= 1000 ? fmt::format("{:.0f}", v) : a >= 10 ? fmt::format("{:.1f}", v) : fmt::format("{:.3f}", v);
}

struct Line {
  std::string label, what, measured, simulated, unit, error, remark;
};

std::vector<Line> lines_of(const TableResult& table) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < table.cases.size(); ++i) {
    const CaseOutcome& outcome = table.outcomes[i];
    const std::string label =
        table.cases[i].group.empty() ? table.cases[i].label : table.cases[i].group + " " + table.cases[i].label;
    if (outcome.failure) lines.push_back({label, "", "", "", "", "", "FAILED: " + outcome.failure->text});
    for (const Measurement& m : outcome.measurements) {
      std::string remark;
      if (m.tolerance) remark = (m.within() ? "within " : "OUTSIDE ") + to_string(*m.tolerance, m.unit);
      lines.push_back(
          {label, m.what, number_text(m.measured), number_text(m.simulated), m.unit, m.error_text(), remark});
    }
  }
  return lines;
}

}  // namespace

std::string figures_text(const Figures& f) {
  const auto shown = [&](double v) { return fmt::format("{:.{}f} {}", v, v == 0 ? 0 : v < 0.1 ? 3 : 1, f.unit); };
  std::string out = fmt::format("{} {}   median {}   worst {}", f.unit == "%" ? "MAPE" : "mean |error|", shown(f.mean),
                                shown(f.median), shown(f.worst));
  if (f.worst > 0) out += fmt::format(" ({}{})", f.worst_signed < 0 ? "under, " : "over, ", f.worst_label);
  out += fmt::format("   {} value{}", f.count, f.count == 1 ? "" : "s");
  if (f.outside > 0) out += fmt::format(", {} outside tolerance", f.outside);
  return out;
}

std::string text_report(const TableResult& table) {
  std::string out = fmt::format("{} on {}\n", table.path, fmt::join(table.chips(), ", "));
  const std::vector<Line> lines = lines_of(table);
  std::size_t label = 3, what = 0, number = 10, unit = 4;
  for (const Line& l : lines) {
    label = std::max(label, l.label.size());
    what = std::max(what, l.what.size());
    number = std::max({number, l.measured.size(), l.simulated.size()});
    unit = std::max(unit, l.unit.size());
  }
  out += fmt::format("  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {:<{}}  {:>10}\n", "row", label, "", what, "measured", number,
                     "simulated", number, "unit", unit, "error");
  for (const Line& l : lines) {
    if (l.what.empty()) {
      out += fmt::format("  {:<{}}  {}\n", l.label, label, l.remark);
    } else {
      out += fmt::format("  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {:<{}}  {:>10}{}{}\n", l.label, label, l.what, what,
                         l.measured, number, l.simulated, number, l.unit, unit, l.error, l.remark.empty() ? "" : "  ",
                         l.remark);
    }
  }
  const std::vector<Figures> figures = table.figures();
  std::size_t group = 0;
  for (const Figures& f : figures) group = std::max(group, f.group.size());
  for (const Figures& f : figures)
    out += fmt::format("  {:<{}}  {}\n", f.group.empty() ? "all" : f.group, std::max<std::size_t>(group, 3),
                       figures_text(f));
  if (table.failures() > 0) out += fmt::format("  {} of {} rows failed\n", table.failures(), table.cases.size());
  return out;
}

}  // namespace heddle::validate
