// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/summary.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::validate {
namespace {

struct Sample {
  const Case* of;
  const Measurement* measurement;
};

// `full_names`: rows are named with their group.
Figures figures_of(const std::string& group, const std::string& unit, const std::vector<Sample>& samples,
                   bool full_names) {
  Figures f{group, unit, samples.size(), 0, 0, -1, {}, 0, 0, 0};
  std::vector<double> errors;
  for (const Sample& s : samples) {
    const double error = s.measurement->error();
    errors.push_back(std::abs(error));
    f.mean += errors.back() / static_cast<double>(samples.size());
    if (s.measurement->tolerance) ++f.judged;
    if (!s.measurement->within()) ++f.outside;
    if (errors.back() <= f.worst) continue;
    f.worst = errors.back();
    f.worst_signed = error;
    f.worst_label = full_names ? s.of->group + " " + s.of->label : s.of->label;
  }
  std::sort(errors.begin(), errors.end());
  const std::size_t half = errors.size() / 2;
  f.median = errors.size() % 2 == 1 ? errors[half] : (errors[half - 1] + errors[half]) / 2;
  return f;
}

template <class List, class Item>
void add_once(List& list, const Item& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

}  // namespace

std::vector<Figures> TableResult::figures() const {
  std::vector<std::string> groups, units;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    add_once(groups, cases[i].group);
    for (const Measurement& m : outcomes[i].measurements) add_once(units, error_unit(m));
  }
  std::vector<Figures> out;
  const auto add = [&](const std::string* group) {
    for (const std::string& unit : units) {
      std::vector<Sample> samples;
      for (std::size_t i = 0; i < cases.size(); ++i)
        for (const Measurement& m : outcomes[i].measurements)
          if ((group == nullptr || cases[i].group == *group) && error_unit(m) == unit)
            samples.push_back({&cases[i], &m});
      if (!samples.empty())
        out.push_back(figures_of(group == nullptr ? "" : *group, unit, samples, group == nullptr && groups.size() > 1));
    }
  };
  add(nullptr);
  if (groups.size() > 1)
    for (const std::string& group : groups) add(&group);
  return out;
}

std::size_t TableResult::failures() const {
  return static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(), [](const CaseOutcome& o) { return o.failure.has_value(); }));
}

std::vector<std::string> TableResult::chips() const {
  std::vector<std::string> chips;
  for (const Case& c : cases) add_once(chips, c.chip.empty() ? c.machine : c.chip);
  return chips;
}

}  // namespace heddle::validate
