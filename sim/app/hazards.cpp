// SPDX-License-Identifier: Apache-2.0
#include "sim/app/hazards.hpp"

#include <nlohmann/json.hpp>

namespace heddle::app {
namespace {

constexpr std::size_t most_printed = 20;

nlohmann::json place_json(const std::string& file, std::uint32_t line) {
  if (file.empty()) return {{"file", nullptr}, {"line", nullptr}};
  return {{"file", file}, {"line", line}};
}

nlohmann::json end_json(const check::End& e) {
  nlohmann::json json = place_json(e.file, e.line);
  json["agent"] = e.agent;
  json["does"] = e.does;
  json["instruction"] = e.instruction ? nlohmann::json(*e.instruction) : nlohmann::json();
  json["text"] = e.text;
  json["operand"] = e.operand;
  return json;
}

nlohmann::json finding_json(const check::Finding& f) {
  nlohmann::json ranges = nlohmann::json::array();
  for (const check::ByteRange& r : f.ranges) ranges.push_back({r.begin, r.end});
  return {{"id", f.id},
          {"program", f.program},
          {"count", f.count},
          {"first", end_json(f.first)},
          {"second", end_json(f.second)},
          {"what", f.what},
          {"memory", f.memory},
          {"ranges", ranges},
          {"bytes", f.bytes},
          {"cycle", f.cycle < 0 ? nlohmann::json() : nlohmann::json(f.cycle)},
          {"missing", f.missing},
          {"suppression", f.allowed ? nlohmann::json(*f.allowed) : nlohmann::json()}};
}

}  // namespace

void Hazards::add_to(nlohmann::json& result) const {
  result["hazards"] = nullptr;
  if (!findings_.looked_on()) return;
  nlohmann::json findings = nlohmann::json::array(), suppressions = nlohmann::json::array();
  for (const check::Finding* f : findings_.all()) findings.push_back(finding_json(*f));
  for (const check::Suppression& s : findings_.suppressions()) {
    nlohmann::json json = place_json(s.file, s.line);
    json["id"] = s.id;
    json["reason"] = s.reason;
    json["program"] = s.program;
    json["findings"] = s.findings;
    json["count"] = s.count;
    json["used"] = s.count != 0;
    suppressions.push_back(std::move(json));
  }
  result["hazards"] = {{"schema", "heddle.hazards/1"},
                       {"failing", findings_.failing().size()},
                       {"dropped", findings_.dropped()},
                       {"findings", findings},
                       {"suppressions", suppressions}};
}

std::string Hazards::text() const {
  const std::string list = check::text_of(findings_.suppressions());
  return list.empty() ? "" : "allowed hazards:\n" + list;
}

ExitCode Hazards::report(ExitCode otherwise) const {
  if (!findings_.failed()) return otherwise;
  fmt::print(stderr, "{}", check::text_of(findings_.failing(), findings_.dropped(), most_printed));
  return failed;
}

}  // namespace heddle::app
