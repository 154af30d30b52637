// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/suite_row.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace heddle::validate {
namespace {

constexpr std::string_view id = "HDL-VAL-09";

template <class Each>
void split(std::string_view text, char mark, Each each) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(mark));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    each(part);
  }
}

}  // namespace

SuiteRow::SuiteRow(const Row& row) : row_(row), test_(row.text("test")), unit_(row.text("unit")) {
  row.table().require_columns({"test", "params", "expected", "unit", "tolerance"}, {});
  split(row.text("params"), ' ', [&](std::string_view part) {
    if (part.empty()) return;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      words_.emplace_back(part);
      return;
    }
    const bool fresh = values_.emplace(part.substr(0, equals), part.substr(equals + 1)).second;
    if (equals == 0 || equals + 1 == part.size() || !fresh)
      fail_at(row.place("params"), ErrorKind::bad_input, std::string(id), "'{}': expected NAME=VALUE, each name once",
              part);
  });
  split(row.text("expected"), '/', [&](std::string_view part) {
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size() || !std::isfinite(value) || value <= 0 || value > 1e18)
      fail_at(row.place("expected"), ErrorKind::bad_input, std::string(id),
              "expected is '{}'; it must be a number above zero, or several with / between", row.text("expected"));
    expected_.push_back(value);
  });
  if (expected_.empty())
    fail_at(row.place("expected"), ErrorKind::bad_input, std::string(id), "the expected value is missing");
}

const std::string& SuiteRow::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    fail_at(row_.place("params"), ErrorKind::bad_input, std::string(id), "'{}' needs {}=...", test_, name);
  return found->second;
}

std::int64_t SuiteRow::size(std::string_view name, std::int64_t least, std::int64_t most) const {
  const std::string& text = value(name);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most)
    fail_at(row_.place("params"), ErrorKind::bad_input, std::string(id),
            "{} is '{}'; expected a whole number from {} to {}", name, text, least, most);
  return number;
}

void SuiteRow::require_params(std::size_t words, const std::vector<std::string_view>& names) const {
  if (words_.size() != words)
    fail_at(row_.place("params"), ErrorKind::bad_input, std::string(id),
            "'{}' has {} words before its sizes; expected {}", row_.text("params"), words_.size(), words);
  for (const auto& [name, text] : values_)
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail_at(row_.place("params"), ErrorKind::bad_input, std::string(id), "'{}' has no {}; expected {}", test_, name,
              fmt::join(names, ", "));
}

Tolerance SuiteRow::tolerance(bool aligned, double clock) const {
  const std::optional<Tolerance> t = parse_tolerance(row_.text("tolerance"), aligned, clock);
  if (!t)
    fail_at(row_.place("tolerance"), ErrorKind::bad_input, std::string(id), "'{}' is no tolerance that is known",
            row_.text("tolerance"));
  return *t;
}

Case SuiteRow::blank_case(const ChipChoice& choice, std::string_view chip, std::vector<std::string> overrides) const {
  Case c;
  c.label = row_.text("params");
  c.group = test_;
  c.chip = choice.chip_for(row_.table(), chip);
  c.overrides = choice.overrides(std::move(overrides));
  c.place = row_.place();
  return c;
}

Fit suite_fit(const Row& row, std::string_view prefix) {
  if (!row.table().has("test") || !row.table().has("params")) return Fit::none;
  const std::string& test = row.text("test");
  const bool fits = prefix.ends_with('/') ? test.starts_with(prefix) : test == prefix;
  return fits ? Fit::exact : Fit::none;
}

}  // namespace heddle::validate
