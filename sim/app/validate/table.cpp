// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/table.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

#include "isa/base/nearest.hpp"
#include "isa/base/read_file.hpp"

namespace heddle::validate {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 26;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The fields of one line. A quoted field may hold commas, and a quote written twice.
std::vector<Cell> split(std::string_view line, const SourceLocation& where) {
  std::vector<Cell> cells;
  std::size_t at = 0;
  for (bool more = true; more;) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    Cell cell{"", static_cast<std::uint32_t>(at + 1)};
    if (at < line.size() && line[at] == '"') {
      const std::size_t opened = at++;
      for (;; ++at) {
        if (at >= line.size())
          fail_at({where.file, where.line, static_cast<std::uint32_t>(opened + 1)}, ErrorKind::bad_input, "HDL-VAL-02",
                  "a quote is not closed on its line");
        if (line[at] != '"') {
          cell.text += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          cell.text += line[at++];
        } else {
          break;
        }
      }
      const std::size_t end = std::min(line.find(',', ++at), line.size());
      if (!trimmed(line.substr(at, end - at)).empty())
        fail_at({where.file, where.line, static_cast<std::uint32_t>(at + 1)}, ErrorKind::bad_input, "HDL-VAL-02",
                "text after a closing quote; expected a comma or the end of the line");
      at = end;
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      cell.text = trimmed(line.substr(at, end - at));
      at = end;
    }
    cells.push_back(std::move(cell));
    more = at < line.size();
    ++at;
  }
  return cells;
}

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

const Cell& Row::cell(std::string_view column) const {
  const std::vector<std::string>& columns = table_->columns();
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end())
    fail_at({table_->path()}, ErrorKind::bad_input, "HDL-VAL-04", "no column '{}'; there are {}", column,
            fmt::join(columns, ", "));
  return cells_[static_cast<std::size_t>(found - columns.begin())];
}

const std::string& Row::text(std::string_view column) const { return cell(column).text; }

SourceLocation Row::place(std::string_view column) const { return {table_->path(), line_, cell(column).column}; }

SourceLocation Row::place() const { return {table_->path(), line_}; }

std::int64_t Row::integer(std::string_view column, std::int64_t least, std::int64_t most) const {
  const std::optional<std::int64_t> value = parsed<std::int64_t>(text(column));
  if (!value || *value < least || *value > most)
    fail_at(place(column), ErrorKind::bad_input, "HDL-VAL-06", "{} is '{}'; expected a whole number from {} to {}",
            column, text(column), least, most);
  return *value;
}

double Row::number(std::string_view column, double least) const {
  const std::optional<double> value = parsed<double>(text(column));
  if (!value || !std::isfinite(*value) || *value < least || std::abs(*value) > 1e18)
    fail_at(place(column), ErrorKind::bad_input, "HDL-VAL-07", "{} is '{}'; expected a number from {:g} to 1e18",
            column, text(column), least);
  return *value;
}

double Row::positive(std::string_view column) const {
  const double value = number(column);
  if (value < 1e-12)
    fail_at(place(column), ErrorKind::bad_input, "HDL-VAL-07", "{} is '{}'; a measured value must be above zero",
            column, text(column));
  return value;
}

std::string Table::stem() const { return std::filesystem::path(path_).stem().string(); }

bool Table::has(std::string_view column) const {
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

SourceLocation Table::place(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return {path_, heading_line_};
  return {path_, heading_line_, heading_columns_[static_cast<std::size_t>(found - columns_.begin())]};
}

void Table::require_columns(const std::vector<std::string_view>& needed,
                            const std::vector<std::string_view>& known) const {
  for (const std::string_view column : needed)
    if (!has(column))
      fail_at({path_, heading_line_}, ErrorKind::bad_input, "HDL-VAL-04", "the heading lacks the column '{}'", column);
  std::vector<std::string_view> all = needed;
  all.insert(all.end(), known.begin(), known.end());
  for (const std::string& column : columns_)
    if (std::find(all.begin(), all.end(), column) == all.end())
      fail_at(place(column), ErrorKind::bad_input, "HDL-VAL-04", "unknown column '{}'; expected {}{}", column,
              fmt::join(all, ", "), did_you_mean(column, all));
}

std::unique_ptr<const Table> parse_table(std::string_view text, const std::string& path) {
  std::unique_ptr<Table> table(new Table);
  table->path_ = path;
  std::uint32_t number = 0;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const SourceLocation where{path, number};
    if (line.find('\0') != std::string_view::npos)
      fail_at(where, ErrorKind::bad_input, "HDL-VAL-02", "a zero byte; this is not a text file");
    if (trimmed(line).empty()) continue;
    if (line.front() == '#') {
      table->comments_.emplace_back(trimmed(line.substr(1)));
      continue;
    }
    std::vector<Cell> cells = split(line, where);
    if (table->columns_.empty()) {
      table->heading_line_ = number;
      for (const Cell& c : cells) {
        if (c.text.empty() || table->has(c.text))
          fail_at({path, number, c.column}, ErrorKind::bad_input, "HDL-VAL-03", "{}",
                  c.text.empty() ? "a column without a name" : fmt::format("two columns are named '{}'", c.text));
        table->columns_.push_back(c.text);
        table->heading_columns_.push_back(c.column);
      }
      continue;
    }
    if (cells.size() != table->columns_.size())
      fail_at({path, number, cells[std::min(cells.size() - 1, table->columns_.size())].column}, ErrorKind::bad_input,
              "HDL-VAL-02", "{} fields; the heading has {}", cells.size(), table->columns_.size());
    table->rows_.emplace_back(*table, number, std::move(cells));
  }
  if (table->columns_.empty()) fail_at({path}, ErrorKind::bad_input, "HDL-VAL-03", "no heading: the table is empty");
  if (table->rows_.empty())
    fail_at({path, table->heading_line_}, ErrorKind::bad_input, "HDL-VAL-03", "the table has no rows");
  return table;
}

std::unique_ptr<const Table> read_table(const std::string& path) {
  const std::optional<std::string> text = read_file(path, most_bytes);
  if (!text) fail_at({path}, ErrorKind::bad_input, "HDL-VAL-01", "cannot be read: {}", std::strerror(errno));
  return parse_table(*text, path);
}

}  // namespace heddle::validate
