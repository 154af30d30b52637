// SPDX-License-Identifier: Apache-2.0
// What lies behind a wrong element: the slice of steps that it depends on, and the same steps in double.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/app/bisect/divergence.hpp"

namespace heddle::app {
namespace {

// Joins a box to the last one where the two are neighbours along one dimension and alike in the others.
void add_box(std::vector<Box>& boxes, const Box& box) {
  if (!boxes.empty() && boxes.back().tensor == box.tensor) {
    Box& last = boxes.back();
    if (last == box) return;
    std::vector<std::size_t> unlike;
    for (std::size_t d = 0; d < box.ranges.size(); ++d)
      if (last.ranges[d] != box.ranges[d]) unlike.push_back(d);
    if (unlike.size() == 1 && last.ranges[unlike[0]].second + 1 == box.ranges[unlike[0]].first) {
      last.ranges[unlike[0]].second = box.ranges[unlike[0]].second;
      return;
    }
  }
  boxes.push_back(box);
}

// The largest relative difference of a result, and where.
struct Worst {
  double error = 0;
  std::size_t at = 0;
};

Worst worst_of(const std::vector<double>& got, const std::vector<double>& want) {
  Worst w;
  const double scale = scale_of(want);
  for (std::size_t i = 0; i < want.size(); ++i)
    if (const double error = relative_error(got[i], want[i], scale); error > w.error) w = {error, i};
  return w;
}

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

std::optional<Deviation> first_not_finite(const RunLog& log, const Replay& replay) {
  for (const Replay::Step& step : replay.steps()) {
    const bool from_finite = std::all_of(step.sources.begin(), step.sources.end(),
                                         [](const Replay::Captured& s) { return finite(s.device); });
    if (!from_finite) continue;
    for (const Replay::Captured& r : step.results) {
      const auto at = std::find_if(r.device.begin(), r.device.end(), [](double v) { return !std::isfinite(v); });
      if (at == r.device.end()) continue;
      const auto i = static_cast<std::size_t>(at - r.device.begin());
      return Deviation{site_of(log, step.id), index_text(r.elements, i), *at, 0, 0};
    }
  }
  return std::nullopt;
}

}  // namespace

void explain(Divergence& d, const RunLog& log, const Replay& replay, const std::vector<PlacedTensor>& tensors) {
  std::optional<Deviation> first;
  std::map<StepId, double> deviations;
  if (replay.complete()) {
    replay.run([&](const Replay::Step& step, const std::vector<Exact>& results) {
      for (std::size_t r = 0; r < results.size(); ++r) {
        const Replay::Captured& machine = step.results[r];
        const std::vector<double>& wide = results[r].values;
        const Worst w = worst_of(machine.device, wide);
        deviations[step.id] = std::fmax(deviations[step.id], w.error);
        if (!first && w.error > d.tolerance)
          first = {site_of(log, step.id), index_text(machine.elements, w.at), machine.device[w.at], wide[w.at],
                   w.error};
        if (d.by && step.id == d.by->id && machine.elements.place.space == isa::Space::hbm) {
          const auto at =
              std::find(machine.elements.half.begin(), machine.elements.half.end(), d.tensor.half(d.element));
          if (at != machine.elements.half.end())
            d.in_double = rounded(d.tensor.dtype, wide[static_cast<std::size_t>(at - machine.elements.half.begin())]);
        }
      }
    });
    if (!std::isfinite(d.got) && std::isfinite(d.want)) d.deviation = first_not_finite(log, replay);
    if (d.deviation) {
      d.cause = Cause::not_finite;
    } else if (d.in_double) {
      const double scale = std::fabs(d.got - d.want) / d.error;  // what its error was measured by
      d.cause = relative_error(*d.in_double, d.want, scale) <= d.tolerance ? Cause::precision : Cause::program;
      if (d.cause == Cause::precision) d.deviation = first;
    }
  }
  // Executions of one instruction of one core in one link, latest first.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Link> links;
  for (const StepId id : log.slice({d.by->id})) {
    if (id == d.by->id) continue;
    const exec::EngineOp& op = log.step(id).op;
    const auto [at, made] = links.try_emplace({op.core, op.pc});
    Link& link = at->second;
    if (made) link.first = site_of(log, id);
    link.times = made ? 1 : link.times + 1;
    link.deviation = std::fmax(link.deviation, deviations[id]);
    for (const isa::View* v : sources_of(op))
      if (const std::optional<Box> box = box_of(*v, tensors)) add_box(link.read, *box);
    for (const isa::View* v : results_of(op))
      if (const std::optional<Box> box = box_of(*v, tensors)) add_box(link.written, *box);
  }
  for (auto& [where, link] : links) d.behind.push_back(std::move(link));
  std::sort(d.behind.begin(), d.behind.end(), [](const Link& a, const Link& b) { return a.first.id > b.first.id; });
}

}  // namespace heddle::app
