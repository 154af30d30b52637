// SPDX-License-Identifier: Apache-2.0
#include "sim/app/profile/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/app/profile/profile_report.hpp"
#include "sim/app/profile/wrap.hpp"

namespace heddle::app {
namespace {

using trace::AgentStalls;
using trace::CriticalPath;
using trace::PathKind;
using trace::Reason;
using trace::Stalls;
using Place = std::pair<std::uint32_t, std::uint32_t>;  // program, instruction

// A set of the path's kinds.
using Kinds = std::uint32_t;
template <class... K>
constexpr Kinds set(K... kinds) {
  return ((Kinds{1} << static_cast<unsigned>(kinds)) | ...);
}

// A share of the critical path that is worth a word. {} in the text is the number.
struct PathRule {
  const char* name;
  double from;  // percent
  Kinds kinds;
  const char* text;
};
constexpr PathRule path_rules[] = {
    {"array-bound", 60, set(PathKind::mxu),
     "rows entering the MXU are {:.0f} % of the critical path: the array bounds the run, and only fewer or narrower "
     "products shorten it"},
    {"vector-bound", 40, set(PathKind::vpu),
     "the VPU is {:.0f} % of the critical path: fuse element-wise steps (vpu.fused), or use more of its lanes"},
    {"sequencer-bound", 10, set(PathKind::sequencer),
     "scalar instructions and issue are {:.0f} % of the critical path: larger tiles, or less arithmetic in the inner "
     "loop"},
    {"transfer-start", 10, set(PathKind::dma_start, PathKind::dma_issue),
     "start costs, descriptors and issue of transfers are {:.0f} % of the critical path: fewer and larger transfers, "
     "longer contiguous runs, or start them earlier"},
    {"data-path", 20, set(PathKind::dma_data),
     "a DMA engine's data path is {:.0f} % of the critical path: divide the transfers among more engines"},
    {"network", 15, set(PathKind::noc),
     "the network is {:.0f} % of the critical path: keep more transfers in flight, or move data between fewer cores"},
    {"fill-and-drain", 10, set(PathKind::pipeline),
     "issue order and results on their way out are {:.0f} % of the critical path: longer streams of rows, or other "
     "work "
     "between an instruction and what needs its result"},
    {"launch-overhead", 15, set(PathKind::launch), "the launch overhead is {:.0f} % of the run: do more in one launch"},
};

constexpr Kinds transfers =
    set(PathKind::dma_start, PathKind::dma_issue, PathKind::dma_data, PathKind::hbm, PathKind::noc);
constexpr Kinds computing =
    set(PathKind::mxu, PathKind::weight_load, PathKind::vpu, PathKind::bank_conflict, PathKind::pipeline);
constexpr double memory_from = 40, full_bandwidth = 70, turns_from = 25, load_from = 10, shows_from = 2,
                 conflict_from = 5,
                 imbalance_from = 10;  // percent

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::optional<Place> top(const std::map<Place, std::int64_t>& sums) {
  const auto most =
      std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == sums.end() ? std::nullopt : std::optional(most->first);
}

double on_path(const CriticalPath& path, Kinds kinds) {
  std::int64_t sum = 0;
  for (const auto& [key, amount] : path.sums())
    if ((kinds >> key.kind & 1) != 0) sum += amount;
  return percent(sum, path.total().value());
}

std::optional<Place> top_on_path(const CriticalPath& path, Kinds kinds) {
  std::map<Place, std::int64_t> sums;
  for (const auto& [key, amount] : path.sums())
    if ((kinds >> key.kind & 1) != 0 && key.pc != CriticalPath::nowhere) sums[{key.program, key.pc}] += amount;
  return top(sums);
}

std::optional<Place> top_stall(const Stalls& stalls, Reason reason) {
  std::map<Place, std::int64_t> sums;
  for (const auto& [key, amount] : stalls.places())
    if (key.reason == reason && key.pc != trace::StallKey::nowhere) sums[{key.program, key.pc}] += amount.value();
  return top(sums);
}

std::int64_t fs(const AgentStalls& a, Reason reason) { return a.time[static_cast<std::size_t>(reason)].value(); }

// Of the working time of all units of the kind: what had this reason.
double of_work(const Stalls& stalls, isa::Unit unit, Reason reason) {
  std::int64_t part = 0, work = 0;
  for (const AgentStalls& a : stalls.agents()) {
    if (a.unit != unit) continue;
    part += fs(a, reason);
    work += fs(a, Reason::busy) + fs(a, Reason::weight_load) + fs(a, Reason::bank_conflict);
  }
  return percent(part, work);
}

// The core that is done longest before the run's end, and by how much of the run.
std::pair<std::uint32_t, double> first_done(const Stalls& stalls) {
  std::map<std::uint32_t, std::int64_t> rest;
  for (const AgentStalls& a : stalls.agents()) {
    const std::int64_t after = fs(a, Reason::drained) + fs(a, Reason::off);
    const auto at = rest.try_emplace(a.agent.core, after).first;
    at->second = std::min(at->second, after);
  }
  const auto most =
      std::max_element(rest.begin(), rest.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return {most->first, percent(most->second, stalls.total().value())};
}

void memory_hint(std::vector<Hint>& out, const CriticalPath& path, double bandwidth) {
  const double memory = on_path(path, set(PathKind::hbm));
  if (memory < memory_from) return;
  const bool full = bandwidth >= full_bandwidth;
  out.push_back({full ? "memory-bandwidth" : "memory-latency", memory, memory,
                 full ? fmt::format("HBM is {:.0f} % of the critical path, at {:.0f} % of its bandwidth: move fewer "
                                    "bytes (larger tiles, operands that stay in the scratchpad, a narrower type)",
                                    memory, bandwidth)
                      : fmt::format("HBM is {:.0f} % of the critical path at only {:.0f} % of its bandwidth: keep more "
                                    "in flight (deeper buffers, larger transfers, more DMA engines)",
                                    memory, bandwidth),
                 top_on_path(path, set(PathKind::hbm))});
}

void turns_hint(std::vector<Hint>& out, const CriticalPath& path) {
  const double moved = on_path(path, transfers), computed = on_path(path, computing), less = std::min(moved, computed);
  if (less < turns_from) return;
  out.push_back({"turns", less, less,
                 fmt::format("transfers ({:.0f} %) and computing ({:.0f} %) take turns on the critical path: buffer "
                             "deeper, so that one hides the other",
                             moved, computed),
                 top_on_path(path, transfers)});
}

}  // namespace

std::vector<Hint> find_hints(const Stalls& stalls, const CriticalPath& path, double hbm_share) {
  std::vector<Hint> out;
  if (stalls.agents().empty() || path.total() <= TimeFs{}) return out;
  for (const PathRule& rule : path_rules)
    if (const double n = on_path(path, rule.kinds); n >= rule.from)
      out.push_back({rule.name, n, n, fmt::format(fmt::runtime(rule.text), n), top_on_path(path, rule.kinds)});
  memory_hint(out, path, 100 * hbm_share);
  turns_hint(out, path);
  const double loads = on_path(path, set(PathKind::weight_load));
  if (const double n = of_work(stalls, isa::Unit::mxu, Reason::weight_load); n >= load_from && loads >= shows_from)
    out.push_back({"exposed-weight-load", n, loads,
                   fmt::format("the stationary load is exposed for {:.0f} % of the MXU's working time: raise the row "
                               "block, so that more rows stream through each tile",
                               n),
                   top_stall(stalls, Reason::weight_load)});
  for (const isa::Unit unit : {isa::Unit::mxu, isa::Unit::vpu})
    if (const double n = of_work(stalls, unit, Reason::bank_conflict); n >= conflict_from)
      out.push_back({"bank-conflict", n, on_path(path, set(PathKind::bank_conflict)),
                     fmt::format("other engines' use of the scratchpad's banks is {:.0f} % of the {}'s working time: "
                                 "place operands in other banks, or pad their rows",
                                 n, unit == isa::Unit::mxu ? "MXU" : "VPU"),
                     top_stall(stalls, Reason::bank_conflict)});
  if (const auto [core, n] = first_done(stalls); n >= imbalance_from)
    out.push_back(
        {"imbalance", n, n / (stalls.agents().back().agent.core + 1),
         fmt::format("core {} is done {:.0f} % of the run before its end: balance the work among the cores", core, n),
         std::nullopt});
  std::stable_sort(out.begin(), out.end(), [](const Hint& a, const Hint& b) { return a.weight > b.weight; });
  return out;
}

std::string hints_text(const std::vector<Hint>& hints, const trace::Programs& programs) {
  std::string out = hints.empty() ? "" : "\nhints, by rule\n";
  for (const Hint& h : hints) {
    std::vector<std::string> words;
    std::istringstream text(h.text +
                            (h.place ? fmt::format(" ({})", programs[h.place->first].place(h.place->second)) : ""));
    for (std::string word; text >> word;) words.push_back(" " + word);
    const std::string head = fmt::format("  {:<20}{:>6.1f} % ", h.rule, h.number);
    out += head + wrapped(words, head.size());
  }
  return out;
}

nlohmann::json hints_json(const std::vector<Hint>& hints, const trace::Programs& programs) {
  nlohmann::json out = nlohmann::json::array();
  for (const Hint& h : hints) {
    nlohmann::json place;
    if (h.place) {
      place = place_json(programs[h.place->first], h.place->second);
      place["program"] = h.place->first;
    }
    out.push_back({{"rule", h.rule}, {"number", h.number}, {"unit", "%"}, {"text", h.text}, {"place", place}});
  }
  return out;
}

}  // namespace heddle::app
