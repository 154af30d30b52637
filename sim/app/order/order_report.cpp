// SPDX-License-Identifier: Apache-2.0
#include "sim/app/order/order_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

std::string indented(const std::string& text, std::string_view by) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += fmt::format("{}{}\n", by, std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace

OrderReport::OrderReport(std::string title, std::string chip, std::string mode, std::int64_t most_cycles,
                         std::vector<Range> ranges, std::vector<Trial> trials)
    : title_(std::move(title)),
      chip_(std::move(chip)),
      mode_(std::move(mode)),
      most_cycles_(most_cycles),
      ranges_(std::move(ranges)),
      trials_(std::move(trials)) {
  std::vector<Differing> by_range(ranges_.size());
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    const Trial& t = trials_[i];
    if (t.ended != trials_.front().ended) end_differs_ = true;
    for (const TrialHazard& found : t.hazards) {
      const auto same = [&](const Hazard& h) { return h.first.key == found.key; };
      auto at = std::find_if(hazards_.begin(), hazards_.end(), same);
      if (at == hazards_.end()) at = hazards_.insert(at, {found, {}});
      at->trials.push_back(i);
    }
    if (!trials_.front().ended.empty()) continue;  // nothing to hold the values against
    for (const RangeDifference& d : t.differences) {
      Differing& all = by_range[d.range];
      if (all.trials.empty()) all.first = d;
      all.trials.push_back(i);
    }
  }
  for (std::size_t r = 0; r < by_range.size(); ++r) {
    by_range[r].range = r;
    if (!by_range[r].trials.empty()) differing_.push_back(std::move(by_range[r]));
  }
}

const char* OrderReport::verdict() const {
  if (!differing_.empty() || end_differs_) return "values_differ";
  if (!trials_.front().ended.empty()) return "fails";
  return hazards_.empty() ? "clean" : "hazards";
}

std::string OrderReport::name_of(std::size_t trial) const {
  const auto& seed = trials_[trial].seed;
  return seed ? fmt::format("with seed {}", *seed) : "without jitter";
}

std::vector<std::uint64_t> OrderReport::sorted_cycles() const {
  std::vector<std::uint64_t> out;
  for (const Trial& t : trials_)
    if (t.seed && t.cycles) out.push_back(*t.cycles);
  std::sort(out.begin(), out.end());
  return out;
}

std::string OrderReport::hazards_text() const {
  if (hazards_.empty()) return "  hazards   none\n";
  std::string out;
  for (const Hazard& h : hazards_) {
    const std::string runs = h.trials.size() == trials_.size()
                                 ? fmt::format("all {} runs", trials_.size())
                                 : fmt::format("{} of {} runs", h.trials.size(), trials_.size());
    out += fmt::format("  {}{} in {}; {}:\n", out.empty() ? "hazards   " : "          ", h.first.id, runs,
                       name_of(h.trials.front()));
    out += indented(h.first.text, "              ");
  }
  return out;
}

std::string OrderReport::values_text() const {
  if (mode_ == "timing") return "  values    none in timing mode\n";
  if (!trials_.front().ended.empty())
    return fmt::format("  values    none: the run without jitter ends with {}\n", trials_.front().ended);
  std::string out;
  const auto line = [&](const std::string& text) {
    out += (out.empty() ? "  values    " : "            ") + text + "\n";
  };
  for (const Differing& d : differing_)
    line(fmt::format("{} DIFFERS with {} of {} seeds; {} in {} bytes, the first is byte {}: {}, {} without jitter",
                     ranges_[d.range].name, d.trials.size(), trials_.size() - 1, name_of(d.trials.front()),
                     grouped(d.first.count), d.first.first, d.first.here, d.first.there));
  for (std::size_t i = 1; i < trials_.size(); ++i)
    if (!trials_[i].ended.empty()) line(fmt::format("none {}, which ends with {}", name_of(i), trials_[i].ended));
  if (out.empty()) line(fmt::format("the same in all {} runs", trials_.size()));
  return out;
}

std::string OrderReport::cycles_text() const {
  if (mode_ == "values") return "";
  const std::vector<std::uint64_t> cycles = sorted_cycles();
  const auto& plain = trials_.front().cycles;
  if (!plain || cycles.empty()) return "";
  return fmt::format("  cycles    {} without jitter; with it {} to {}, median {}\n", grouped(*plain),
                     grouped(cycles.front()), grouped(cycles.back()), grouped(cycles[cycles.size() / 2]));
}

std::string OrderReport::text() const {
  std::string out = fmt::format(
      "{} on {}, {} mode: without jitter, and with {} seeds ({})\n", title_, chip_, mode_, trials_.size() - 1,
      mode_ == "values" ? "drawn orders of the engines"
                        : fmt::format("delays of up to {} cycles", grouped(static_cast<std::uint64_t>(most_cycles_))));
  out += hazards_text() + values_text() + cycles_text();
  const std::string_view v = verdict();
  if (v == "values_differ") return out + "values depend on the order\n";
  if (v == "fails") return out + "the program fails in every order tried\n";
  if (v == "hazards") return out + "hazards, although no order tried shows in the values\n";
  if (mode_ == "values") return out + "clean: values do not depend on the order\n";
  const std::vector<std::uint64_t> cycles = sorted_cycles();
  const bool same = cycles.empty() || (cycles.front() == cycles.back() && cycles.front() == trials_.front().cycles);
  if (same) return out + "clean: nothing depends on the order\n";
  return out + (mode_ == "timing" ? "clean: no hazard, and cycles depend on the order\n"
                                  : "clean: cycles alone depend on the order\n");
}

nlohmann::json OrderReport::json() const {
  const auto runs = [&](const std::vector<std::size_t>& trials) {
    nlohmann::json out = nlohmann::json::array();
    for (const std::size_t i : trials)
      out.push_back(trials_[i].seed ? nlohmann::json(*trials_[i].seed) : nlohmann::json());
    return out;
  };
  nlohmann::json json{{"schema", "heddle.check/1"},
                      {"command", "check"},
                      {"what", title_},
                      {"chip", chip_},
                      {"mode", mode_},
                      {"seeds", trials_.size() - 1},
                      {"verdict", verdict()},
                      {"hazards", nlohmann::json::array()},
                      {"differences", nlohmann::json::array()},
                      {"runs", nlohmann::json::array()}};
  json["max_cycles"] = mode_ == "values" ? nlohmann::json() : nlohmann::json(most_cycles_);
  for (const Hazard& h : hazards_)
    json["hazards"].push_back({{"id", h.first.id}, {"text", h.first.text}, {"seeds", runs(h.trials)}});
  for (const Differing& d : differing_)
    json["differences"].push_back({{"where", ranges_[d.range].name},
                                   {"seeds", runs(d.trials)},
                                   {"first_byte", d.first.first},
                                   {"bytes", d.first.count},
                                   {"with_seed", d.first.here},
                                   {"without_jitter", d.first.there}});
  for (const Trial& t : trials_)
    json["runs"].push_back({{"seed", t.seed ? nlohmann::json(*t.seed) : nlohmann::json()},
                            {"cycles", t.cycles ? nlohmann::json(*t.cycles) : nlohmann::json()},
                            {"ended", t.ended.empty() ? nlohmann::json() : nlohmann::json(t.ended)}});
  json["cycles"] = nullptr;
  if (const std::vector<std::uint64_t> cycles = sorted_cycles(); !cycles.empty() && trials_.front().cycles)
    json["cycles"] = {{"without_jitter", *trials_.front().cycles},
                      {"min", cycles.front()},
                      {"median", cycles[cycles.size() / 2]},
                      {"max", cycles.back()}};
  return json;
}

}  // namespace heddle::app
