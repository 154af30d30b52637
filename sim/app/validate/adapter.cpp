// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/adapter.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/config/load_chip.hpp"

namespace heddle::validate {
namespace {

std::vector<const Adapter*>& registry() {
  static std::vector<const Adapter*> adapters;
  return adapters;
}

// The adapter that fits best, or none. `fit_of` gives an adapter's fit.
template <class FitOf>
const Adapter* best(FitOf fit_of) {
  const Adapter* found = nullptr;
  Fit found_fit = Fit::none;
  for (const Adapter* a : registry()) {
    const Fit fit = fit_of(*a);
    if (fit == Fit::none || fit < found_fit) continue;
    if (fit == found_fit)
      fail(ErrorKind::internal, "HDL-VAL-00", "the adapters '{}' and '{}' want the same row", found->name(), a->name());
    found = a;
    found_fit = fit;
  }
  return found;
}

// What a row begins with, to name it where nothing else does.
std::string naming(const Row& row) {
  const std::string& column = row.table().columns().front();
  return fmt::format("{} '{}'", column, row.text(column));
}

std::string known_families() {
  std::vector<std::string> families;
  for (const Adapter* a : registry()) families.push_back(a->rows());
  std::sort(families.begin(), families.end());
  return fmt::format("{}", fmt::join(families, "; "));
}

}  // namespace

Adapter::Adapter(std::string name, std::string rows, RowFit fit, MakeCase make)
    : name_(std::move(name)), rows_(std::move(rows)), row_fit_(std::move(fit)), make_row_(std::move(make)) {
  registry().push_back(this);
}

Adapter::Adapter(std::string name, std::string rows, TableFit fit, MakeCases make)
    : name_(std::move(name)), rows_(std::move(rows)), table_fit_(std::move(fit)), make_table_(std::move(make)) {
  registry().push_back(this);
}

std::string ChipChoice::chip_for(const Table& table, std::string_view own) const {
  if (!chip.empty()) return chip;
  if (!own.empty()) return std::string(own);
  std::string stem = "-" + table.stem() + "-";
  std::replace(stem.begin(), stem.end(), '_', '-');
  const std::vector<std::string> presets = config::chip_presets();
  std::string found;
  for (const std::string& preset : presets)
    if (preset.size() > found.size() && stem.find("-" + preset + "-") != std::string::npos) found = preset;
  if (found.empty())
    fail_at({table.path()}, ErrorKind::bad_input, "HDL-VAL-10",
            "which chip? The file's name holds no preset's name; give --chip (presets: {})", fmt::join(presets, ", "));
  return found;
}

std::vector<std::string> ChipChoice::overrides(std::vector<std::string> own) const {
  own.insert(own.end(), set.begin(), set.end());
  return own;
}

void check_chips(const std::vector<Case>& cases) {
  std::set<std::pair<std::string, std::vector<std::string>>> seen;
  for (const Case& c : cases)
    if (!c.chip.empty() && seen.emplace(c.chip, c.overrides).second) config::load_chip(c.chip, c.overrides);
}

std::vector<Case> make_cases(const Table& table, const ChipChoice& choice) {
  if (const Adapter* a = best([&](const Adapter& x) { return x.table_fit_ ? x.table_fit_(table) : Fit::none; }))
    return a->make_table_(table, choice);
  std::vector<Case> cases;
  for (const Row& row : table.rows()) {
    const Adapter* a = best([&](const Adapter& x) { return x.row_fit_ ? x.row_fit_(row) : Fit::none; });
    if (a == nullptr)
      fail_at(row.place(table.columns().front()), ErrorKind::bad_input, "HDL-VAL-11",
              "no adapter knows {}; known are: {}", naming(row), known_families());
    cases.push_back(a->make_row_(row, choice));
    if (cases.back().place.line == 0) cases.back().place = row.place();
  }
  return cases;
}

}  // namespace heddle::validate
