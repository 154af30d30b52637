// SPDX-License-Identifier: Apache-2.0
#include "sim/app/profile/path_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "sim/app/profile/profile_report.hpp"
#include "sim/app/profile/wrap.hpp"
#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

using trace::ChainKey;
using trace::CriticalPath;
using trace::PathKind;
using trace::ProgramInfo;

constexpr std::size_t most_handoffs = 50;  // in JSON

bool is_time(const ChainKey& key) { return key.kind < trace::path_time_kinds; }
bool at_an_instruction(const ChainKey& key) { return key.pc != CriticalPath::nowhere; }
PathKind kind_of(const ChainKey& key) { return static_cast<PathKind>(key.kind); }
std::string kind_name(std::uint8_t kind) { return std::string(trace::name(static_cast<PathKind>(kind))); }

template <class Key>
std::vector<std::pair<Key, std::int64_t>> most_first(const std::map<Key, std::int64_t>& sums) {
  std::vector<std::pair<Key, std::int64_t>> out(sums.begin(), sums.end());
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

std::map<std::uint8_t, std::int64_t> by_kind(const CriticalPath& path) {
  std::map<std::uint8_t, std::int64_t> out;
  for (const auto& [key, amount] : path.sums())
    if (is_time(key)) out[key.kind] += amount;
  return out;
}

// The same of all cores.
std::map<ChainKey, std::int64_t> merged(const CriticalPath& path, bool time) {
  std::map<ChainKey, std::int64_t> out;
  for (const auto& [key, amount] : path.sums()) {
    if (is_time(key) != time || !at_an_instruction(key)) continue;
    ChainKey anywhere = key;
    anywhere.core = 0;
    out[anywhere] += amount;
  }
  return out;
}

std::string cycles_of(const CriticalPath& path, std::int64_t fs) {
  return grouped(static_cast<std::uint64_t>(fs / path.period().value()));
}

double percent(const CriticalPath& path, std::int64_t fs) {
  return 100 * static_cast<double>(fs) / static_cast<double>(path.total().value());
}

std::string lines_text(const CriticalPath& path) {
  constexpr std::size_t most = 8;
  // Instructions of one line and kind are one row.
  std::map<std::tuple<std::string, std::string, std::string, std::uint8_t>, std::int64_t> rows;
  for (const auto& [key, fs] : merged(path, true)) {
    const ProgramInfo& p = path.programs()[key.program];
    const bool sequencer = kind_of(key) == PathKind::sequencer;
    rows[{p.place(key.pc), std::string(p.mnemonic(key.pc)), sequencer ? "sequencer" : p.engine(key.pc), key.kind}] +=
        fs;
  }
  std::string out;
  std::size_t shown = 0;
  for (const auto& [key, fs] : most_first(rows)) {
    if (++shown > most) break;
    const auto& [place, mnemonic, engine, kind] = key;
    out += fmt::format("  {:<32}{:<13}{:<11}{:>6.1f} % {:>13} cycles   {}\n", place, mnemonic, engine,
                       percent(path, fs), cycles_of(path, fs), kind_name(kind));
  }
  return out;
}

std::string handoffs_text(const CriticalPath& path) {
  constexpr std::size_t most = 5;
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> rows;
  for (const auto& [key, count] : merged(path, false)) {
    const ProgramInfo& p = path.programs()[key.program];
    const auto who = [&](std::uint32_t pc) { return fmt::format("{} {}", p.engine(pc), p.place(pc)); };
    const bool queue = kind_of(key) == PathKind::queue;
    rows[{who(key.from), queue ? "sequencer " + p.place(key.pc) : who(key.pc), queue ? "full queue" : "post"}] += count;
  }
  std::string out;
  std::size_t shown = 0;
  for (const auto& [key, count] : most_first(rows)) {
    if (++shown > most) break;
    const auto& [from, to, how] = key;
    out += fmt::format("  {:>11} x {} -> {}   {}\n", grouped(static_cast<std::uint64_t>(count)), from, to, how);
  }
  return out;
}

}  // namespace

std::string path_text(const CriticalPath& path) {
  if (path.total() <= TimeFs{}) return "";
  std::vector<std::string> parts;
  for (const auto& [kind, fs] : most_first(by_kind(path)))
    if (percent(path, fs) >= 0.1) parts.push_back(fmt::format("  {} {:.1f} %", kind_name(kind), percent(path, fs)));
  return fmt::format("\ncritical path: what the end waited for, {} cycles\n{}", cycles_of(path, path.total().value()),
                     wrapped(parts, 0)) +
         lines_text(path) + handoffs_text(path);
}

nlohmann::json path_json(const CriticalPath& path) {
  nlohmann::json out = {{"schema", path_schema},
                        {"total_fs", path.total().value()},
                        {"kinds", nlohmann::json::object()},
                        {"cores", nlohmann::json::array()},
                        {"places", nlohmann::json::array()},
                        {"scopes", nlohmann::json::array()},
                        {"handoffs", nlohmann::json::array()}};
  for (const auto& [kind, fs] : by_kind(path)) out["kinds"][kind_name(kind)] = fs;

  std::map<std::uint16_t, std::int64_t> cores;
  std::map<std::tuple<std::uint32_t, std::uint32_t>, std::map<std::uint8_t, std::int64_t>> scopes;
  for (const auto& [key, fs] : path.sums()) {
    if (!is_time(key) || kind_of(key) == PathKind::launch) continue;
    cores[key.core] += fs;
    if (!at_an_instruction(key)) continue;
    const ProgramInfo& p = path.programs()[key.program];
    for (std::uint32_t s = p.scope(key.pc); s != ProgramInfo::no_scope; s = p.parent[s])
      scopes[{key.program, s}][key.kind] += fs;
  }
  for (const auto& [core, fs] : cores) out["cores"].push_back({{"core", core}, {"fs", fs}});
  for (const auto& [key, fs] : most_first(merged(path, true))) {
    nlohmann::json row = place_json(path.programs()[key.program], key.pc);
    row["program"] = key.program;
    row["kind"] = kind_name(key.kind);
    row["fs"] = fs;
    out["places"].push_back(std::move(row));
  }
  for (const auto& [id, kinds] : scopes) {
    nlohmann::json row = {{"program", std::get<0>(id)},
                          {"scope", path.programs()[std::get<0>(id)].path(std::get<1>(id))},
                          {"fs", nlohmann::json::object()}};
    for (const auto& [kind, fs] : kinds) row["fs"][kind_name(kind)] = fs;
    out["scopes"].push_back(std::move(row));
  }
  for (const auto& [key, count] : most_first(merged(path, false))) {
    if (out["handoffs"].size() == most_handoffs) break;
    const ProgramInfo& p = path.programs()[key.program];
    nlohmann::json from = place_json(p, key.from), to = place_json(p, key.pc);
    from["program"] = to["program"] = key.program;
    out["handoffs"].push_back(
        {{"from", std::move(from)}, {"to", std::move(to)}, {"by", kind_name(key.kind)}, {"count", count}});
  }
  return out;
}

}  // namespace heddle::app
