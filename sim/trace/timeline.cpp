// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/timeline.hpp"

#include <algorithm>
#include <limits>

namespace heddle::trace {

std::size_t TimelineLabelHash::operator()(const TimelineLabel& l) const {
  std::uint64_t h = 0;
  for (const std::uint64_t word : {std::uint64_t{l.program} << 32 | l.scope, std::uint64_t{l.pc} << 32 | l.cause_pc,
                                   static_cast<std::uint64_t>(l.reason)})
    h = (h ^ word) * 0x9e3779b97f4a7c15ull, h ^= h >> 32;
  return static_cast<std::size_t>(h);
}

void TimelineTracks::put(std::vector<TimelineSlice>& track, const TimelineSlice& s) {
  if (track.empty() || track.back().length >= grain_ || s.length >= grain_) {
    track.push_back(s);
    return;
  }
  TimelineSlice& last = track.back();
  last.length += s.length;
  if (last.label == s.label)
    last.longest += s.longest;
  else if (s.longest > last.longest)
    last.label = s.label, last.longest = s.longest;
}

void TimelineTracks::append(std::size_t track, TimeFs length, std::uint32_t label) {
  if (length <= TimeFs{}) return;
  std::vector<TimelineSlice>& slices = tracks_[track];
  const std::size_t before = slices.size();
  put(slices, {length, length, label});
  count_ += slices.size() - before;
  if (count_ > most_) coarsen();
}

void TimelineTracks::coarsen() {
  constexpr TimeFs longest(std::numeric_limits<std::int64_t>::max() / 4);
  while (count_ > most_ / 2 && grain_ < longest) {
    grain_ = std::max(first_grain_, grain_ * 2);
    count_ = 0;
    for (std::vector<TimelineSlice>& track : tracks_) {
      std::vector<TimelineSlice> merged;
      for (const TimelineSlice& s : track) put(merged, s);
      track = std::move(merged);
      count_ += track.size();
    }
  }
}

void Timeline::opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>&, const memory::MemoryStats&) {
  tracks_.set_first_grain(TimeFs(chip.period_fs()));
  cores_.resize(static_cast<std::size_t>(chip.cores));
  const std::int64_t agents = 1 + chip.core.mxu.count + chip.core.vpu.count + chip.core.dma.engines;
  for (std::int64_t i = 0; i < chip.cores * agents; ++i) engines_.push_back(tracks_.add());
}

std::uint32_t Timeline::label(const TimelineLabel& what) {
  const auto [at, added] = label_numbers_.try_emplace(what, static_cast<std::uint32_t>(labels_.size()));
  if (added) labels_.push_back(what);
  return at->second;
}

void Timeline::charged(std::size_t agent, const StallKey& key, TimeFs length) {
  TimelineLabel what{key.program, ProgramInfo::no_scope, key.reason, key.pc, key.cause_pc};
  if (key.pc == StallKey::nowhere) what.program = 0;  // it says nothing of a program
  tracks_.append(engines_[agent], length, label(what));
}

void Timeline::launch_began(std::uint32_t program, std::string_view entry, TimeFs launch, TimeFs start) {
  counting_ = entry_.empty() || entry == entry_;
  if (!counting_) return;
  program_ = program;
  launch_ = launch;
  for (Core& core : cores_) core.walk = {}, core.at = start;
  launches_.push_back({total_, {}, program, std::string(entry), 1});
}

void Timeline::launch_ended(TimeFs end) {
  if (!counting_) return;
  for (Core& core : cores_) {
    if (core.walk.leave()) pass(core);
    for (std::size_t depth = 0; depth < core.tracks.size(); ++depth) fill(core, depth, here(end), 0);
  }
  launches_.back().length = end - launch_;
  total_ += end - launch_;
  counting_ = false;
  if (launches_.size() > most_launches) join_launches();
}

void Timeline::join_launches() {
  std::size_t out = 0;
  for (std::size_t i = 0; i < launches_.size(); i += 2, ++out) {
    TimelineLaunch joined = launches_[i];
    if (i + 1 < launches_.size()) {
      const TimelineLaunch& next = launches_[i + 1];
      joined.length += next.length;
      joined.count += next.count;
      if (joined.program != next.program || joined.entry != next.entry) {
        joined.program = TimelineLabel::no_program;
        joined.entry.clear();
      }
    }
    launches_[out] = std::move(joined);
  }
  launches_.resize(out);
}

void Timeline::fill(Core& core, std::size_t depth, TimeFs until, std::uint32_t label) {
  tracks_.append(core.tracks[depth], until - core.filled[depth], label);
  core.filled[depth] = std::max(core.filled[depth], until);
}

void Timeline::pass(Core& core) {
  const ScopeWalk& w = core.walk;
  const TimeFs at = here(core.at);
  for (std::size_t depth = w.kept(); depth < w.before().size(); ++depth)
    fill(core, depth, at, label({program_, w.before()[depth], {}, StallKey::nowhere, StallKey::nowhere}));
  for (std::size_t depth = w.kept(); depth < w.open().size(); ++depth) {
    if (depth == core.tracks.size()) {
      core.tracks.push_back(tracks_.add());
      core.filled.push_back({});
    }
    fill(core, depth, at, 0);
  }
}

void Timeline::executed(std::uint32_t number, std::uint32_t pc, TimeFs local) {
  if (!counting_) return;
  Core& core = cores_[number];
  if (core.walk.move(programs_[program_], pc)) pass(core);
  core.at = local;
}

void Timeline::stalled(std::uint32_t number, std::uint32_t, SequencerStall, std::uint32_t, TimeFs, TimeFs to,
                       const Cause*) {
  cores_[number].at = to;
}

void Timeline::halted(std::uint32_t number, TimeFs at) {
  if (!counting_) return;
  Core& core = cores_[number];
  core.at = at;
  if (core.walk.leave()) pass(core);
}

}  // namespace heddle::trace
