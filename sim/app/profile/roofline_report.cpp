// SPDX-License-Identifier: Apache-2.0
#include "sim/app/profile/roofline_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

using trace::ProgramInfo;
using trace::Work;
using trace::WorkCounts;

double seconds(TimeFs t) { return static_cast<double>(t.value()) * 1e-15; }

double a_second(std::uint64_t count, TimeFs time) {
  return time > TimeFs{} ? static_cast<double>(count) / seconds(time) : 0;
}

std::string mxu_name(std::size_t dtype) { return fmt::format("MXU {}", heddle::name(static_cast<DType>(dtype))); }

double intensity(const Work& w) { return static_cast<double>(w.operations()) / static_cast<double>(w.bytes()); }

}  // namespace

RooflineReport::RooflineReport(const trace::Stalls& stalls, const WorkCounts& work, std::uint64_t hbm)
    : programs_(stalls.programs()),
      rates_(work.rates()),
      hbm_(static_cast<double>(hbm)),
      period_(stalls.period()),
      points_(1) {
  points_[0].passes = work.launches();
  points_[0].time = stalls.total();
  for (std::uint32_t n = 0; n < programs_.size(); ++n) {
    const ProgramInfo& program = programs_[n];
    std::vector<RooflinePoint> scopes(program.parent.size());
    for (std::uint32_t s = 0; s < scopes.size(); ++s) {
      const WorkCounts::ScopeId id{n, s};
      RooflinePoint& p = scopes[s];
      p.id = id;
      p.time = work.time(id);
      if (const auto at = stalls.passages().find(id); at != stalls.passages().end()) {
        p.passes = at->second.times;
        p.inside = at->second.time;
      }
      const auto own = work.own().find(id);
      if (program.parent[s] != ProgramInfo::no_scope) scopes[program.parent[s]].has_inner = true;
      if (own == work.own().end()) continue;
      p.own = own->second;
      for (std::uint32_t outer = s; outer != ProgramInfo::no_scope; outer = program.parent[outer])
        scopes[outer].work += p.own;
      points_[0].work += p.own;
    }
    if (const auto outside = work.own().find({n, ProgramInfo::no_scope}); outside != work.own().end()) {
      points_[0].own += outside->second;
      points_[0].work += outside->second;
    }
    for (RooflinePoint& p : scopes)
      if (p.passes > 0 || p.time > TimeFs{}) points_.push_back(p);
  }
}

double RooflineReport::hbm_share() const { return a_second(points_[0].work.bytes(), points_[0].time) / hbm_; }

RooflineReport::Bound RooflineReport::bound(const Work& work) const {
  double mxu = 0;
  for (std::size_t t = 0; t < work.macs.size(); ++t)
    if (work.macs[t] > 0) mxu += static_cast<double>(work.macs[t]) / rates_.macs[t];
  const double vpu = work.vpu_elements > 0 ? static_cast<double>(work.vpu_elements) / rates_.vpu_elements : 0;
  Bound b;
  for (const Bound part :
       {Bound{static_cast<double>(work.bytes()) / hbm_, "HBM"}, Bound{mxu, "MXU"}, Bound{vpu, "VPU"}})
    if (part.seconds > b.seconds) b = part;
  return b;
}

std::string RooflineReport::ceiling(const Work& work) const {
  const auto most = std::max_element(work.macs.begin(), work.macs.end());
  if (*most > 0) return mxu_name(static_cast<std::size_t>(most - work.macs.begin()));
  return work.vpu_elements > 0 ? "VPU" : "";
}

double RooflineReport::highest() const {
  return std::max(2 * *std::max_element(rates_.macs.begin(), rates_.macs.end()), rates_.vpu_elements);
}

double RooflineReport::share(const RooflinePoint& p) const {
  return p.time > TimeFs{} ? bound(p.work).seconds / seconds(p.time) : 0;
}

std::string RooflineReport::path(const RooflinePoint& p) const {
  return p.id ? programs_[p.id->first].path(p.id->second) : "";
}

nlohmann::json RooflineReport::point_json(const RooflinePoint& p) const {
  const Work& w = p.work;
  const Bound b = bound(w);
  const std::string top = ceiling(w);
  return {{"scope", path(p)},
          {"program", p.id ? static_cast<std::int64_t>(p.id->first) : -1},
          {"kind", !p.id         ? "run"
                   : p.has_inner ? "layer"
                                 : "kernel"},
          {"passes", p.passes},
          {"time_fs", p.time.value()},
          {"inside_fs", p.inside.value()},
          {"macs", w.all_macs()},
          {"vpu_ops", w.vpu_elements},
          {"ops", w.operations()},
          {"hbm_read", w.bytes_read},
          {"hbm_written", w.bytes_written},
          {"hbm_bytes", w.bytes()},
          {"intensity", w.bytes() > 0 ? nlohmann::json(intensity(w)) : nlohmann::json()},
          {"ops_per_s", a_second(w.operations(), p.time)},
          {"bytes_per_s", a_second(w.bytes(), p.time)},
          {"ceiling", top.empty() ? nlohmann::json() : nlohmann::json(top)},
          {"bound_fs", std::llround(b.seconds * 1e15)},
          {"bound", b.by == nullptr ? nlohmann::json() : nlohmann::json(b.by)},
          {"share", share(p)},
          {"own_ops", p.own.operations()},
          {"own_hbm_bytes", p.own.bytes()}};
}

nlohmann::json RooflineReport::json() const {
  std::vector<std::pair<std::string, double>> ceilings;
  for (std::size_t t = 0; t < rates_.macs.size(); ++t)
    if (rates_.macs[t] > 0) ceilings.emplace_back(mxu_name(t), 2 * rates_.macs[t]);
  if (rates_.vpu_elements > 0) ceilings.emplace_back("VPU", rates_.vpu_elements);
  std::stable_sort(ceilings.begin(), ceilings.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  nlohmann::json out = {{"schema", roofline_schema},
                        {"ridge", hbm_ > 0 ? highest() / hbm_ : 0},
                        {"hbm_bytes_per_s", hbm_},
                        {"ceilings", nlohmann::json::array()},
                        {"points", nlohmann::json::array()}};
  for (const auto& [name, rate] : ceilings) out["ceilings"].push_back({{"name", name}, {"ops_per_s", rate}});
  for (const RooflinePoint& p : points_) out["points"].push_back(point_json(p));
  return out;
}

std::string RooflineReport::text() const {
  constexpr std::size_t most = 20;
  const Work& all = points_[0].work;
  if (all.operations() == 0 || points_[0].time == TimeFs{}) return "";
  std::string out = fmt::format(
      "\nroofline: {} of HBM (the ridge is at {:.3g}); {}OP/s of {}OP/s at the fastest type's rate, {}/s of {}/s\n",
      all.bytes() > 0 ? fmt::format("{:.3g} OP a byte", intensity(all)) : "no byte", highest() / hbm_,
      count_text(a_second(all.operations(), points_[0].time)), count_text(highest()),
      bytes_text(a_second(all.bytes(), points_[0].time)), bytes_text(hbm_));
  std::vector<const RooflinePoint*> scopes;
  for (const RooflinePoint& p : points_)
    if (p.id && p.time > TimeFs{}) scopes.push_back(&p);
  if (scopes.empty()) return out;
  std::stable_sort(scopes.begin(), scopes.end(), [](const auto* a, const auto* b) { return a->time > b->time; });
  out += fmt::format("  {:<42}{:>8}{:>14}{:>10}{:>13}{:>13}   {}\n", "kernel or layer", "passes", "at work", "OP/byte",
                     "OP/s", "HBM", "of its bound");
  for (std::size_t i = 0; i < std::min(scopes.size(), most); ++i) {
    const RooflinePoint& p = *scopes[i];
    const char* by = bound(p.work).by;
    out += fmt::format(
        "  {:<42}{:>8}{:>14}{:>10}{:>13}{:>13}   {}\n", programs_[p.id->first].image.name + ": " + path(p), p.passes,
        grouped(static_cast<std::uint64_t>(p.time / period_)),
        p.work.bytes() > 0 ? fmt::format("{:.3g}", intensity(p.work)) : "-",
        count_text(a_second(p.work.operations(), p.time)) + "OP/s", bytes_text(a_second(p.work.bytes(), p.time)) + "/s",
        by == nullptr ? "" : fmt::format("{} {:.0f} %", by, 100 * share(p)));
  }
  if (scopes.size() > most) out += fmt::format("  and {} more, in --json\n", scopes.size() - most);
  return out;
}

}  // namespace heddle::app
