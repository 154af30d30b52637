// SPDX-License-Identifier: Apache-2.0
// What each engine did and when, to be looked at as a whole: tracks of slices that follow each other without gaps, from
// the first launch's begin to the last one's end. An engine's slices are the stall account's charges in their order, so
// they sum to it by reason; beside them are the scopes that each core's sequencer passed through.
//
// Memory is bounded: with more than so many slices, neighbours that are shorter than a grain become one, and the grain
// doubles until half are left. What is merged keeps the label of its longest part. The same run gives the same slices.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/trace/recorder.hpp"
#include "sim/trace/scope_walk.hpp"
#include "sim/trace/stalls.hpp"

namespace heddle::trace {

struct TimelineSlice {
  TimeFs length{};
  TimeFs longest{};  // of what was merged, with this label
  std::uint32_t label = 0;
};

// Tracks of slices, in bounded memory.
class TimelineTracks {
 public:
  explicit TimelineTracks(std::size_t most) : most_(most) {}
  std::size_t add() {
    tracks_.emplace_back();
    return tracks_.size() - 1;
  }
  // Behind the track's last slice. Nothing for an empty length.
  void append(std::size_t track, TimeFs length, std::uint32_t label);
  const std::vector<TimelineSlice>& slices(std::size_t track) const { return tracks_[track]; }
  std::size_t count() const { return count_; }  // of all tracks
  TimeFs grain() const { return grain_; }       // 0: nothing was merged
  // What the first grain is.
  void set_first_grain(TimeFs grain) { first_grain_ = grain; }

 private:
  void put(std::vector<TimelineSlice>& track, const TimelineSlice& slice);
  void coarsen();

  std::size_t most_;
  std::size_t count_ = 0;
  TimeFs grain_{}, first_grain_{1};
  std::vector<std::vector<TimelineSlice>> tracks_;
};

// What a slice says.
struct TimelineLabel {
  static constexpr std::uint32_t no_program = 0xffffffff;
  std::uint32_t program = no_program;           // none: nothing at all, label 0
  std::uint32_t scope = ProgramInfo::no_scope;  // of a track of scopes, else none and
  Reason reason = Reason::busy;
  std::uint32_t pc = StallKey::nowhere, cause_pc = StallKey::nowhere;  // as in StallKey
  friend bool operator==(const TimelineLabel&, const TimelineLabel&) = default;
};
struct TimelineLabelHash {
  std::size_t operator()(const TimelineLabel& l) const;
};

// A launch, or `count` that follow each other where there are very many; of several programs: no_program.
struct TimelineLaunch {
  TimeFs begin{}, length{};
  std::uint32_t program = 0;
  std::string entry;
  std::uint64_t count = 1;
};

class Timeline final : public IListener, public IChargeListener {
 public:
  static constexpr std::size_t most_slices = 1'000'000;
  static constexpr std::size_t most_launches = 1000;
  explicit Timeline(const Programs& programs, std::size_t most = most_slices)
      : programs_(programs), tracks_(most), labels_{TimelineLabel{}} {}
  // Launches of other entries are not counted; as in Stalls, which has to be told the same.
  void count_only(std::string entry) { entry_ = std::move(entry); }

  const TimelineTracks& tracks() const { return tracks_; }
  // By core, then number of the agent: its track.
  std::size_t engine_track(std::size_t agent) const { return engines_[agent]; }
  // Of a core, outer scopes first.
  const std::vector<std::size_t>& scope_tracks(std::size_t core) const { return cores_[core].tracks; }
  std::size_t cores() const { return cores_.size(); }
  const std::vector<TimelineLabel>& labels() const { return labels_; }
  const std::vector<TimelineLaunch>& launches() const { return launches_; }
  TimeFs total() const { return total_; }
  const Programs& programs() const { return programs_; }

  void opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
              const memory::MemoryStats& memory) override;
  void launch_began(std::uint32_t program, std::string_view entry, TimeFs launch, TimeFs start) override;
  void launch_ended(TimeFs end) override;
  void executed(std::uint32_t core, std::uint32_t pc, TimeFs local) override;
  void stalled(std::uint32_t core, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs from, TimeFs to,
               const Cause* cause) override;
  void halted(std::uint32_t core, TimeFs at) override;
  void ran(const Record&) override {}
  void charged(std::size_t agent, const StallKey& key, TimeFs length) override;

 private:
  struct Core {
    ScopeWalk walk;
    TimeFs at{};                      // its sequencer
    std::vector<std::size_t> tracks;  // of scopes, by depth
    std::vector<TimeFs> filled;       // by depth, in the timeline's time
  };
  void join_launches();  // in pairs
  std::uint32_t label(const TimelineLabel& what);
  void pass(Core& core);  // its walk has moved
  // Up to `until`, in the timeline's time.
  void fill(Core& core, std::size_t depth, TimeFs until, std::uint32_t label);
  TimeFs here(TimeFs time) const { return total_ + (time - launch_); }

  const Programs& programs_;
  std::string entry_;      // empty: all
  bool counting_ = false;  // this launch
  std::uint32_t program_ = 0;
  TimeFs launch_{}, total_{};
  TimelineTracks tracks_;
  std::vector<std::size_t> engines_;
  std::vector<Core> cores_;
  std::vector<TimelineLabel> labels_;
  std::unordered_map<TimelineLabel, std::uint32_t, TimelineLabelHash> label_numbers_;
  std::vector<TimelineLaunch> launches_;
};

}  // namespace heddle::trace
