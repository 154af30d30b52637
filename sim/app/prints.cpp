// SPDX-License-Identifier: Apache-2.0
#include "sim/app/prints.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace heddle::app {
namespace {

nlohmann::json to_json(const inspect::Printed& p) {
  nlohmann::json json{{"label", p.label}, {"launch", p.launch},  {"core", p.core},
                      {"run", p.run},     {"instruction", p.pc}, {"cycle", nullptr}};
  if (p.cycle >= 0) json["cycle"] = p.cycle;
  if (p.line != 0) {
    json["file"] = p.file;
    json["line"] = p.line;
  }
  if (!p.nothing.empty()) {
    json["no_value"] = p.nothing;
  } else if (p.scalar) {
    json["value"] = *p.scalar;
  } else {
    json["space"] = isa::name(p.view.space);
    json["address"] = p.view.base;
    json["dtype"] = name(p.view.dtype);
    json["shape"] = std::vector<std::uint32_t>(p.view.size.begin(), p.view.size.begin() + p.view.rank);
    const inspect::Statistics& s = p.statistics;
    json["statistics"] = {
        {"elements", s.elements}, {"nan", s.nan},    {"infinite", s.infinite},          {"min", nullptr},
        {"max", nullptr},         {"mean", nullptr}, {"never_written", s.never_written}};
    if (s.finite != 0) {
      json["statistics"]["min"] = s.min;
      json["statistics"]["max"] = s.max;
      json["statistics"]["mean"] = s.mean;
    }
    if (p.values.size() == s.elements) json["values"] = p.values;
  }
  return json;
}

}  // namespace

ShownPrints::ShownPrints(const CommonOptions& options)
    : quiet_(options.quiet),
      keep_json_(!options.json.empty()),
      prints_({options.max_prints, options.full_prints}, [this](const inspect::Printed& p) { show(p); }),
      installed_(&prints_) {}

void ShownPrints::show(const inspect::Printed& p) {
  if (!quiet_) {
    const std::string text = p.text();
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  if (keep_json_) all_.push_back(to_json(p));
}

void ShownPrints::finish() {
  if (finished_) return;
  finished_ = true;
  if (quiet_) return;
  for (const std::string& remark : prints_.remarks()) fmt::print(stderr, "prints: {}\n", remark);
}

void ShownPrints::add_to(nlohmann::json& result) const {
  if (!all_.empty()) result["prints"] = all_;
}

}  // namespace heddle::app
