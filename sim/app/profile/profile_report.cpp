// SPDX-License-Identifier: Apache-2.0
#include "sim/app/profile/profile_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

using trace::ProgramInfo;
using trace::Reason;
using trace::StallKey;

constexpr std::string_view letters = "#w=p.e>iMNqf _~";  // of the bars, by reason
static_assert(letters.size() == trace::reason_count);

bool is_work(Reason r) { return r == Reason::busy || r == Reason::weight_load; }
bool at_an_instruction(const StallKey& k) { return k.pc != StallKey::nowhere; }

double percent(TimeFs part, TimeFs whole) {
  return whole > TimeFs{} ? 100 * static_cast<double>(part.value()) / static_cast<double>(whole.value()) : 0;
}

// Largest remainder, so that a bar of `width` letters is full.
std::string bar(const std::array<TimeFs, trace::reason_count>& time, TimeFs total, int width) {
  std::string out;
  std::int64_t done = 0;
  for (std::size_t r = 0; r < time.size() && total > TimeFs{}; ++r) {
    done += time[r].value();
    const double until = static_cast<double>(done) / static_cast<double>(total.value()) * width;
    while (out.size() + 0.5 < until) out += letters[r];
  }
  out.resize(static_cast<std::size_t>(width), ' ');
  return out;
}

struct EngineSum {
  std::array<TimeFs, trace::reason_count> time{};
  std::int64_t cores = 0;
};

std::string engines_text(const trace::Stalls& stalls) {
  constexpr int width = 48;
  std::map<std::tuple<isa::Unit, std::uint32_t>, EngineSum> engines;
  std::uint32_t cores = 0;
  for (const trace::AgentStalls& a : stalls.agents()) {
    EngineSum& e = engines[{a.unit, a.index}];
    ++e.cores;
    cores = std::max(cores, a.agent.core + 1);
    for (std::size_t r = 0; r < a.time.size(); ++r) e.time[r] += a.time[r];
  }
  std::string out = fmt::format("\neach engine's time, of {} cycles{}\n",
                                grouped(static_cast<std::uint64_t>(stalls.total() / stalls.period())),
                                cores > 1 ? fmt::format(", mean over {} cores", cores) : "");
  std::array<bool, trace::reason_count> seen{};
  for (const auto& [key, e] : engines) {
    const auto& [unit, index] = key;
    const TimeFs all = stalls.total() * e.cores;
    std::string name(trace::unit_name(unit));
    if (isa::is_engine(unit)) name += std::to_string(index);
    std::vector<std::size_t> order;
    for (std::size_t r = 0; r < e.time.size(); ++r)
      if (e.time[r] > TimeFs{}) order.push_back(r);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return e.time[a] > e.time[b]; });
    std::string parts;
    for (const std::size_t r : order) {
      seen[r] = true;
      if (percent(e.time[r], all) >= 0.1)
        parts += fmt::format("   {} {:.1f} %", trace::reason_names[r], percent(e.time[r], all));
    }
    out += fmt::format("  {:<10}|{}|{}\n", name, bar(e.time, all, width), parts);
  }
  out += "  ";
  for (std::size_t r = 0; r < seen.size(); ++r)
    if (seen[r]) out += fmt::format("{}'{}' {}", out.back() == ' ' ? "" : ", ", letters[r], trace::reason_names[r]);
  return out + "\n";
}

// Rows of one source line, engine kind and reason, whatever instruction or semaphore they had.
struct Row {
  std::string place, mnemonic, cause;
  isa::Unit unit{};
  Reason reason{};
  TimeFs time{};
};

std::vector<Row> rows_of(const trace::Stalls& stalls) {
  std::map<std::tuple<std::uint32_t, std::string, std::string, std::string, isa::Unit, Reason>, TimeFs> sums;
  for (const auto& [key, time] : stalls.places()) {
    if (!at_an_instruction(key)) continue;
    const ProgramInfo& p = stalls.programs()[key.program];
    std::string cause;
    if (key.cause_pc != StallKey::nowhere)
      cause = fmt::format("for {} {}", p.engine(key.cause_pc), p.place(key.cause_pc));
    sums[{key.program, p.place(key.pc), std::string(p.mnemonic(key.pc)), cause, key.unit, key.reason}] += time;
  }
  std::vector<Row> rows;
  for (const auto& [key, time] : sums)
    rows.push_back({std::get<1>(key), std::get<2>(key), std::get<3>(key), std::get<4>(key), std::get<5>(key), time});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time > b.time; });
  return rows;
}

std::string lines_text(const trace::Stalls& stalls, bool work) {
  constexpr int most = 10;
  std::map<isa::Unit, std::int64_t> units;
  for (const trace::AgentStalls& a : stalls.agents()) ++units[a.unit];
  std::string out =
      work ? "\nsource lines by work (share of the time of all engines of the kind)\n" : "\nsource lines by stall\n";
  int shown = 0;
  for (const Row& r : rows_of(stalls)) {
    if (is_work(r.reason) != work) continue;
    if (++shown > most) break;
    out += fmt::format("  {:<32}{:<13}{:<11}{:>6.1f} % {:>13} cycles   {}{}{}\n", r.place, r.mnemonic,
                       trace::unit_name(r.unit), percent(r.time, stalls.total() * units[r.unit]),
                       grouped(static_cast<std::uint64_t>(r.time / stalls.period())), trace::name(r.reason),
                       r.cause.empty() ? "" : " ", r.cause);
  }
  return shown == 0 ? "" : out;
}

struct ScopeSum {
  std::map<isa::Unit, std::array<TimeFs, trace::reason_count>> time;
};
using ScopeId = std::pair<std::uint32_t, std::uint32_t>;  // program, scope

// What is inside inner scopes counts for the outer ones too.
std::map<ScopeId, ScopeSum> scopes_of(const trace::Stalls& stalls) {
  std::map<ScopeId, ScopeSum> out;
  for (const auto& [key, time] : stalls.places()) {
    if (!at_an_instruction(key)) continue;
    const ProgramInfo& p = stalls.programs()[key.program];
    for (std::uint32_t s = p.scope(key.pc); s != ProgramInfo::no_scope; s = p.parent[s])
      out[{key.program, s}].time[key.unit][static_cast<std::size_t>(key.reason)] += time;
  }
  return out;
}

std::string scopes_text(const trace::Stalls& stalls) {
  constexpr std::size_t most = 20;
  struct Line {
    TimeFs time;
    std::string text;
  };
  std::vector<Line> lines;
  for (const auto& [id, sum] : scopes_of(stalls)) {
    const auto passage = stalls.passages().find(id);
    const TimeFs time = passage == stalls.passages().end() ? TimeFs{} : passage->second.time;
    const std::uint64_t times = passage == stalls.passages().end() ? 0 : passage->second.times;
    const auto work = [&](isa::Unit unit) {
      const auto at = sum.time.find(unit);
      const TimeFs t = at == sum.time.end() ? TimeFs{}
                                            : at->second[static_cast<std::size_t>(Reason::busy)] +
                                                  at->second[static_cast<std::size_t>(Reason::weight_load)];
      return grouped(static_cast<std::uint64_t>(t / stalls.period()));
    };
    const ProgramInfo& p = stalls.programs()[id.first];
    lines.push_back(
        {time, fmt::format("  {:<38}{:>8}{:>14}{:>14}{:>14}{:>14}\n", p.image.name + ": " + p.path(id.second), times,
                           grouped(static_cast<std::uint64_t>(time / stalls.period())), work(isa::Unit::mxu),
                           work(isa::Unit::vpu), work(isa::Unit::dma))});
  }
  if (lines.empty()) return "";
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.time > b.time; });
  std::string out = fmt::format(
      "\nkernels, in cycles: core 0's sequencer inside; work of all cores' engines\n  "
      "{:<38}{:>8}{:>14}{:>14}{:>14}{:>14}\n",
      "scope", "passes", "inside", "MXU", "VPU", "DMA");
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) out += lines[i].text;
  if (lines.size() > most) out += fmt::format("  and {} more, in --json\n", lines.size() - most);
  return out;
}

template <class Times>
nlohmann::json reasons_json(const Times& times) {
  nlohmann::json out = nlohmann::json::object();
  for (std::size_t r = 0; r < times.size(); ++r)
    if (times[r] > TimeFs{}) out[std::string(trace::reason_names[r])] = times[r].value();
  return out;
}

}  // namespace

std::string agent_name(const trace::AgentStalls& agent) {
  std::string name(trace::unit_name(agent.unit));
  if (isa::is_engine(agent.unit)) name += std::to_string(agent.index);
  return name;
}

nlohmann::json place_json(const ProgramInfo& p, std::uint32_t pc) {
  const isa::SourceLine source = isa::source_of(p.image, pc);
  return {{"instruction", pc},
          {"mnemonic", p.mnemonic(pc)},
          {"engine", p.engine(pc)},
          {"file", source.file},
          {"line", source.line}};
}

std::string profile_text(const trace::Stalls& stalls) {
  if (stalls.agents().empty()) return "";
  return engines_text(stalls) + lines_text(stalls, true) + lines_text(stalls, false) + scopes_text(stalls);
}

std::set<std::string> files_of(const trace::Stalls& stalls) {
  std::set<std::string> out;
  for (const auto& [key, time] : stalls.places())
    for (const std::uint32_t pc : {key.pc, key.cause_pc})
      if (pc != StallKey::nowhere) out.insert(isa::source_of(stalls.programs()[key.program].image, pc).file);
  out.erase("");
  return out;
}

nlohmann::json stalls_json(const trace::Stalls& stalls) {
  nlohmann::json out = {{"schema", stalls_schema},
                        {"total_fs", stalls.total().value()},
                        {"period_fs", stalls.period().value()},
                        {"engines", nlohmann::json::array()},
                        {"programs", nlohmann::json::array()},
                        {"places", nlohmann::json::array()},
                        {"no_instruction", nlohmann::json::array()},
                        {"scopes", nlohmann::json::array()}};
  for (const trace::AgentStalls& a : stalls.agents())
    out["engines"].push_back({{"core", a.agent.core}, {"engine", agent_name(a)}, {"fs", reasons_json(a.time)}});
  for (std::size_t i = 0; i < stalls.programs().size(); ++i)
    out["programs"].push_back(stalls.programs()[static_cast<std::uint32_t>(i)].image.name);
  std::map<std::pair<isa::Unit, Reason>, TimeFs> no_instruction;
  for (const auto& [key, time] : stalls.places()) {
    if (!at_an_instruction(key)) {
      no_instruction[{key.unit, key.reason}] += time;
      continue;
    }
    const ProgramInfo& p = stalls.programs()[key.program];
    nlohmann::json row = place_json(p, key.pc);
    row["program"] = key.program;
    row["scope"] = p.scope(key.pc) == ProgramInfo::no_scope ? "" : p.path(p.scope(key.pc));
    row["unit"] = trace::unit_name(key.unit);
    row["reason"] = trace::name(key.reason);
    row["fs"] = time.value();
    if (key.reason == Reason::semaphore) row["semaphore"] = key.sem;
    if (key.cause_pc != StallKey::nowhere) row["posted_by"] = place_json(p, key.cause_pc);
    out["places"].push_back(std::move(row));
  }
  for (const auto& [key, time] : no_instruction)
    out["no_instruction"].push_back(
        {{"unit", trace::unit_name(key.first)}, {"reason", trace::name(key.second)}, {"fs", time.value()}});
  for (const auto& [id, sum] : scopes_of(stalls)) {
    nlohmann::json row = {{"program", id.first},
                          {"scope", stalls.programs()[id.first].path(id.second)},
                          {"fs", nlohmann::json::object()}};
    const auto passage = stalls.passages().find(id);
    row["passes"] = passage == stalls.passages().end() ? 0 : passage->second.times;
    row["inside_fs"] = passage == stalls.passages().end() ? 0 : passage->second.time.value();
    for (const auto& [unit, times] : sum.time) row["fs"][std::string(trace::unit_name(unit))] = reasons_json(times);
    out["scopes"].push_back(std::move(row));
  }
  return out;
}

}  // namespace heddle::app
