// SPDX-License-Identifier: Apache-2.0
// Turns what a recorder tells into tracks and slices of a trace.
//
// Processes: the chip (launches, memory and link bandwidth) and one for each core. A core's tracks: the scopes of the
// program as its sequencer passes through them; the sequencer's stalls; each engine's instructions. Where
// instructions of one engine overlap (an MXU loads while it streams, transfers in flight), further tracks of the same
// engine take them: a matmul's slice ends with its last row's entry, a transfer's with its last byte. Before an
// instruction that waited stands the wait, with who ended it; arrows lead from the instruction that posted.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "sim/trace/counter_tracks.hpp"
#include "sim/trace/occupancy.hpp"
#include "sim/trace/recorder.hpp"
#include "sim/trace/scope_walk.hpp"
#include "sim/trace/trace_sink.hpp"

namespace heddle::trace {

class Tracer final : public IListener {
 public:
  // `recorder` numbers the launches.
  Tracer(std::unique_ptr<ITraceSink> sink, const Programs& programs, const Recorder& recorder)
      : sink_(std::move(sink)), programs_(programs), recorder_(recorder) {}
  void finish() { sink_->finish(); }

  void opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
              const memory::MemoryStats& memory) override;
  void watch_channels(const memory::IMemoryModel& memory) override;
  void launch_began(std::uint32_t program, std::string_view entry, TimeFs launch, TimeFs start) override;
  void launch_ended(TimeFs end) override;
  void executed(std::uint32_t core, std::uint32_t pc, TimeFs local) override;
  void stalled(std::uint32_t core, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs from, TimeFs to,
               const Cause* cause) override;
  void halted(std::uint32_t core, TimeFs at) override;
  void ran(const Record& record) override;
  void issued(Agent agent, const exec::EngineOp& op, TimeFs time) override;
  void started(Agent agent, const exec::EngineOp& op, TimeFs ready, TimeFs could, TimeFs start) override;
  void now(TimeFs time) override { counters_.now(*sink_, time); }

 private:
  struct Lane {
    std::uint32_t track;
    TimeFs until{};
  };
  struct Engine {
    std::string name;
    std::vector<Lane> lanes;  // of an MXU: matmuls, loads
    std::size_t queue = 0;
  };
  struct Core {
    std::uint32_t process = 0, scope_track = 0, sequencer_track = 0;
    ScopeWalk walk;
    TimeFs at{};  // the sequencer
    std::vector<Engine> engines;
    std::array<std::size_t, Occupancy::spaces.size()> used{};  // counters
  };
  std::uint32_t add_track(std::uint32_t process, const std::string& name);
  Engine& engine(Agent agent) { return cores_[agent.core].engines[agent.number - 1u]; }
  Lane& lane_of(const Record& r, TimeFs begin);
  void pass(const Core& core);  // its walk has moved
  std::string poster(const Cause& cause) const;

  std::unique_ptr<ITraceSink> sink_;
  const Programs& programs_;
  const Recorder& recorder_;
  CounterTracks counters_;
  std::optional<Occupancy> occupancy_;
  std::uint32_t next_number_ = 1;
  std::uint32_t launch_track_ = 0;
  std::uint32_t program_ = 0;  // of the launch
  TimeFs launch_{};
  std::vector<Core> cores_;
};

}  // namespace heddle::trace
