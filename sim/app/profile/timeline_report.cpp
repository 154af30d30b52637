// SPDX-License-Identifier: Apache-2.0
#include "sim/app/profile/timeline_report.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "sim/app/profile/profile_report.hpp"

namespace heddle::app {
namespace {

using trace::ProgramInfo;
using trace::Reason;
using trace::StallKey;
using trace::TimelineLabel;

// Numbers labels and places anew, as far as slices have them.
class Writer {
 public:
  explicit Writer(const trace::Timeline& timeline) : timeline_(timeline), numbers_(timeline.labels().size(), unused) {
    label(0);
  }

  nlohmann::json track(std::size_t number) {
    nlohmann::json out = nlohmann::json::array();
    for (const trace::TimelineSlice& s : timeline_.tracks().slices(number)) {
      out.push_back(s.length.value());
      out.push_back(label(s.label));
    }
    return out;
  }
  const nlohmann::json& labels() const { return labels_; }
  const nlohmann::json& places() const { return places_; }

 private:
  static constexpr std::int64_t unused = -1;

  std::int64_t label(std::uint32_t number) {
    std::int64_t& at = numbers_[number];
    if (at == unused) {
      at = static_cast<std::int64_t>(labels_.size());
      labels_.push_back(label_json(timeline_.labels()[number]));
    }
    return at;
  }

  nlohmann::json label_json(const TimelineLabel& l) {
    nlohmann::json out = {{"name", ""}, {"reason", nullptr}, {"place", -1}, {"cause", -1}};
    if (l.program == TimelineLabel::no_program) return out;
    if (l.scope != ProgramInfo::no_scope) {
      out["scope"] = timeline_.programs()[l.program].path(l.scope);
      out["name"] = timeline_.programs()[l.program].image.scopes[l.scope].name;
      out["program"] = l.program;
      return out;
    }
    const bool work = (l.reason == Reason::busy || l.reason == Reason::weight_load) && l.pc != StallKey::nowhere;
    out["name"] = work ? timeline_.programs()[l.program].mnemonic(l.pc) : trace::name(l.reason);
    out["reason"] = trace::name(l.reason);
    out["place"] = place(l.program, l.pc);
    out["cause"] = place(l.program, l.cause_pc);
    return out;
  }

  std::int64_t place(std::uint32_t program, std::uint32_t pc) {
    if (pc == StallKey::nowhere) return -1;
    const auto [at, added] = place_numbers_.try_emplace({program, pc}, static_cast<std::int64_t>(places_.size()));
    if (added) {
      nlohmann::json row = place_json(timeline_.programs()[program], pc);
      row["program"] = program;
      places_.push_back(std::move(row));
    }
    return at->second;
  }

  const trace::Timeline& timeline_;
  std::vector<std::int64_t> numbers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> place_numbers_;
  nlohmann::json labels_ = nlohmann::json::array(), places_ = nlohmann::json::array();
};

}  // namespace

nlohmann::json timeline_json(const trace::Timeline& timeline, const trace::Stalls& stalls) {
  nlohmann::json out = {{"schema", timeline_schema},
                        {"total_fs", timeline.total().value()},
                        {"period_fs", stalls.period().value()},
                        {"coarsened_fs", timeline.tracks().grain().value()},
                        {"slice_count", timeline.tracks().count()},
                        {"launches", nlohmann::json::array()},
                        {"tracks", nlohmann::json::array()}};
  for (const trace::TimelineLaunch& l : timeline.launches()) {
    const bool one = l.program != TimelineLabel::no_program;
    out["launches"].push_back({{"begin_fs", l.begin.value()},
                               {"length_fs", l.length.value()},
                               {"program", one ? static_cast<std::int64_t>(l.program) : -1},
                               {"entry", l.entry},
                               {"count", l.count}});
  }
  Writer writer(timeline);
  const std::vector<trace::AgentStalls>& agents = stalls.agents();
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const std::uint32_t core = agents[i].agent.core;
    out["tracks"].push_back({{"core", core},
                             {"engine", agent_name(agents[i])},
                             {"kind", "engine"},
                             {"slices", writer.track(timeline.engine_track(i))}});
    if (i + 1 < agents.size() && agents[i + 1].agent.core == core) continue;
    const std::vector<std::size_t>& scopes = timeline.scope_tracks(core);
    for (std::size_t depth = 0; depth < scopes.size(); ++depth)
      out["tracks"].push_back({{"core", core},
                               {"engine", "scopes"},
                               {"kind", "scopes"},
                               {"depth", depth},
                               {"slices", writer.track(scopes[depth])}});
  }
  out["labels"] = writer.labels();
  out["places"] = writer.places();
  return out;
}

}  // namespace heddle::app
