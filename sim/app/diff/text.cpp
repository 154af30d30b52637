// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/app/diff/compare.hpp"
#include "sim/app/report.hpp"

namespace heddle::diff {
namespace {

// Names come from a file: a control character must not reach the terminal.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) out += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
  return out;
}

// One line a row, columns as wide as their widest cell; the first `left` columns lean left, the rest right.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i < left ? fmt::format(" {:<{}}", row[i], widths[i] + 1) : fmt::format("  {:>{}}", row[i], widths[i]);
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string table_text(const Table& t, std::size_t most) {
  if (t.rows.empty()) return fmt::format("\n{}: the same\n", t.title);
  // The text of a source line is for the page; here it would push the numbers off the screen.
  const std::size_t labels = std::min<std::size_t>(t.columns.size(), 4);
  std::vector<std::vector<std::string>> rows;
  rows.emplace_back(t.columns.begin(), t.columns.begin() + static_cast<std::ptrdiff_t>(labels));
  for (const char* column : {"before", "after", "change", ""}) rows.back().emplace_back(column);
  for (std::size_t i = 0; i < std::min(most, t.rows.size()); ++i) {
    const Row& r = t.rows[i];
    std::vector<std::string> cells;
    for (std::size_t k = 0; k < labels; ++k) cells.push_back(plain(r.labels[k]));
    cells.insert(cells.end(),
                 {value_text(r.before, r.quantity), value_text(r.after, r.quantity), change_text(r), percent_text(r)});
    rows.push_back(std::move(cells));
  }
  std::string out = fmt::format("\n{}\n{}", t.title, aligned(rows, labels));
  if (t.rows.size() > most) out += fmt::format("  and {} more that changed (-o shows them)\n", t.rows.size() - most);
  return out;
}

}  // namespace

std::string value_text(const std::optional<double>& value, Quantity quantity) {
  if (!value) return "-";
  if (quantity == Quantity::nanoseconds) return app::time_text(*value);
  return app::grouped(static_cast<std::uint64_t>(std::llround(*value)));
}

std::string change_text(const Row& row) {
  if (!row.before || !row.after) return "";
  const double change = row.change();
  const std::string size = value_text(std::abs(change), row.quantity);
  return (change > 0 ? "+" : change < 0 ? "-" : "") + size;
}

std::string percent_text(const Row& row) {
  if (!row.before) return row.after ? "new" : "";
  if (!row.after) return "gone";
  if (*row.before <= 0) return *row.after > 0 ? "new" : "";
  const double percent = 100 * row.change() / *row.before;
  return percent == 0 ? "" : fmt::format("{:+.{}f} %", percent, std::abs(percent) < 0.1 ? 3 : 1);
}

std::string text_of(const Comparison& c, std::size_t most) {
  std::string out = fmt::format("before  {}: {}\nafter   {}: {}\n", plain(c.before.file), plain(c.before.title()),
                                plain(c.after.file), plain(c.after.title()));
  for (const std::string& note : c.notes) out += fmt::format("note    {}\n", plain(note));
  for (std::size_t i = 0; i < c.tables.size(); ++i)
    out += table_text(c.tables[i], i == 0 ? c.tables[i].rows.size() : most);
  return out;
}

}  // namespace heddle::diff
