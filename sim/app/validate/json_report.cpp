// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "sim/app/output.hpp"
#include "sim/app/validate/reports.hpp"

namespace heddle::validate {
namespace {

using nlohmann::json;

json json_of(const Measurement& m) {
  json out = {{"what", m.what},
              {"unit", m.unit},
              {"measured", m.measured},
              {"simulated", m.simulated},
              {"error", m.error()},
              {"within", nullptr},
              {"tolerance", nullptr},
              {"error_unit", error_unit(m) == "%"    ? "percent"
                             : error_unit(m) == "pt" ? "points"
                                                     : error_unit(m)}};
  if (!m.also_measured.empty()) out["also_measured"] = m.also_measured;
  if (m.tolerance) {
    out["within"] = m.within();
    out["tolerance"] = to_string(*m.tolerance, m.unit);
  }
  return out;
}

json json_of(const Figures& f) {
  return {{"group", f.group.empty() ? json() : json(f.group)},
          {"error_unit", f.unit == "%"    ? "percent"
                         : f.unit == "pt" ? "points"
                                          : f.unit},
          {"count", f.count},
          {"mean", f.mean},
          {"median", f.median},
          {"worst", f.worst},
          {"worst_row", f.worst_label},
          {"with_tolerance", f.judged},
          {"outside_tolerance", f.outside}};
}

json json_of(const TableResult& t) {
  json rows = json::array();
  for (std::size_t i = 0; i < t.cases.size(); ++i) {
    const Case& c = t.cases[i];
    json row = {{"line", c.place.line},     {"label", c.label},
                {"group", c.group},         {"chip", c.chip.empty() ? c.machine : c.chip},
                {"overrides", c.overrides}, {"host_seconds", t.outcomes[i].host_seconds},
                {"failure", nullptr},       {"measurements", json::array()}};
    for (const Measurement& m : t.outcomes[i].measurements) row["measurements"].push_back(json_of(m));
    if (t.outcomes[i].failure) row["failure"] = t.outcomes[i].failure->text;
    rows.push_back(std::move(row));
  }
  json out = {{"path", t.path},    {"table", t.stem},          {"chips", t.chips()},
              {"rows", rows},      {"figures", json::array()}, {"mape", nullptr},
              {"median", nullptr}, {"worst", nullptr},         {"failures", t.failures()}};
  for (const Figures& f : t.figures()) {
    out["figures"].push_back(json_of(f));
    if (!f.group.empty() || f.unit != "%") continue;
    out["mape"] = f.mean;  // the figures of the whole table once more, of errors in percent
    out["median"] = f.median;
    out["worst"] = f.worst;
  }
  return out;
}

}  // namespace

json json_report(const std::vector<TableResult>& tables, double host_seconds) {
  json out = {{"schema", app::result_schema},
              {"command", "validate"},
              {"mode", "timing"},
              {"host_seconds", host_seconds},
              {"tables", json::array()}};
  // A result of many runs: what belongs to one is null here and stands in its row.
  for (const char* key : {"cycles", "time_ns", "utilization", "bytes", "instructions", "tile_instructions", "chip"})
    out[key] = nullptr;
  for (const TableResult& t : tables) {
    out["tables"].push_back(json_of(t));
    if (tables.size() == 1 && t.chips().size() == 1) out["chip"] = t.chips().front();
  }
  return out;
}

}  // namespace heddle::validate
