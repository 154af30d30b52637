// SPDX-License-Identifier: Apache-2.0
// What a machine looked like at a moment. Sequencers and engines compute ahead of simulated time, each as far as it
// can, and a debugger that stopped them would change who comes first at what they share. So they are left alone: what
// they do is noted with its time, and the notes are turned forward to the moment that is looked at.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sim/control/deadlock.hpp"
#include "sim/control/sequencer.hpp"
#include "sim/trace/observer.hpp"

namespace heddle::debug {

// A sequencer before its current instruction takes effect.
struct CoreState {
  std::uint32_t pc = 0;
  bool started = false;
  bool halted = false;
  std::uint64_t executed = 0;  // instructions before this one
  TimeFs reached{};            // when it came to the current instruction
  std::array<std::int64_t, 32> x{};
  std::array<isa::View, 32> v{};
  std::bitset<32> set;  // which of v
};

// An engine instruction from its issue to its end.
struct EngineEntry {
  exec::EngineOp op;
  TimeFs issued{};
  bool started = false;  // `start` is known
  bool ended = false;    // `end` is known
  TimeFs start{};
  TimeFs end{};

  bool queued_at(TimeFs t) const { return issued <= t && (!started || start > t); }
  bool at_work_at(TimeFs t) const { return started && start <= t && (!ended || end > t); }
};

class Past final : public trace::IObserver, public control::IInstructionWatch {
 public:
  // ---- At the moment that is looked at
  TimeFs time() const { return time_; }
  std::int64_t cycle() const { return time_ / period_; }
  TimeFs period() const { return period_; }
  const control::Program* program() const { return program_; }
  bool in_launch() const { return program_ != nullptr; }
  const CoreState& core(std::uint32_t core) const { return cores_[core].state; }
  std::uint32_t cores() const { return static_cast<std::uint32_t>(cores_.size()); }
  // Agents of a core from 1 on; the sequencer is 0.
  std::size_t agents() const { return cores_.empty() ? 0 : cores_.front().engines.size(); }
  const std::deque<EngineEntry>& entries(std::uint32_t core, std::size_t agent) const {
    return cores_[core].engines[agent];
  }
  bool idle(std::uint32_t core, std::size_t agent) const { return idle_at(core, agent, time_); }
  std::int64_t semaphore(std::uint32_t core, std::uint32_t sem) const { return cores_[core].semaphores[sem]; }
  std::uint32_t semaphores() const { return semaphores_; }
  // Whoever of the core waits for something, with what it has.
  std::vector<control::Waiting> waiting(std::uint32_t core) const;

  // ---- Turning forward
  // When the core comes to its next instruction, as far as that is known.
  std::optional<TimeFs> next_step(std::uint32_t core) const;
  // The core's next instruction is the current one now.
  void step(std::uint32_t core);
  // When the engine is idle next, from the moment that is looked at on; nothing where that is not known.
  std::optional<TimeFs> next_idle(std::uint32_t core, std::size_t agent) const;
  void turn_to(TimeFs time);
  // The latest time that anything is known of.
  TimeFs last() const;
  bool finished() const;  // every core has halted and its engines are idle

  // ---- What is told
  void reached(const control::Sequencer& sequencer, const control::Moment& at) override;
  void opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
              const memory::MemoryStats& memory) override;
  void closed() override;
  void launch_began(const control::Program& program, std::uint32_t first_instruction, TimeFs launch,
                    TimeFs start) override;
  void launch_ended(TimeFs end) override;
  void executed(std::uint32_t core, std::uint32_t pc, TimeFs took, TimeFs local) override;
  void stalled(std::uint32_t core, std::uint32_t pc, trace::SequencerStall why, std::uint32_t which, TimeFs from,
               TimeFs to) override;
  void halted(std::uint32_t core, TimeFs at) override;
  void issued(trace::Agent agent, const exec::EngineOp& op, TimeFs time) override;
  void posted(std::uint32_t core, std::uint8_t sem, std::int64_t n, TimeFs time, const trace::Poster& by) override;
  void taken(trace::Agent by, std::uint8_t sem, std::int64_t n) override;
  void started(trace::Agent agent, const exec::EngineOp& op, TimeFs ready, TimeFs could, TimeFs start) override;
  void finished(trace::Agent agent, const exec::EngineOp& op, const trace::Course& course) override;
  void memory_asked(trace::Agent, const exec::EngineOp&, bool, std::int64_t) override {}
  void data_path(trace::Agent, TimeFs, TimeFs) override {}
  void batch_back(trace::Agent, const trace::BatchTimes&) override {}
  void now(TimeFs) override {}

 private:
  // The core came to `pc` at `time`; what the instruction there changes is known once the next is reached.
  struct Step {
    TimeFs time{};
    std::uint32_t pc = 0;
    int x = -1;
    int v = -1;
    std::int64_t value = 0;
    std::shared_ptr<const isa::View> view;
  };
  struct Change {
    TimeFs time{};
    std::uint8_t sem = 0;
    std::int64_t n = 0;
  };
  struct Core {
    CoreState state;
    std::deque<Step> steps;  // the first is the current one, once it has been stepped to
    std::vector<std::deque<EngineEntry>> engines;
    std::vector<std::int64_t> semaphores;
    std::vector<Change> changes;              // to come
    std::vector<std::vector<Change>> taking;  // by agent: of an instruction whose start is not known
    std::optional<std::size_t> last_take;     // of the sequencer, in `changes`
    TimeFs local{};                           // of the sequencer, as last told
    std::optional<TimeFs> halt;
  };
  bool idle_at(std::uint32_t core, std::size_t agent, TimeFs time) const;
  EngineEntry* find(trace::Agent agent, std::uint64_t sequence);
  std::optional<control::Waiting> sequencer_waiting(std::uint32_t core) const;
  void reset();

  std::vector<Core> cores_;
  const config::ChipSpec* chip_ = nullptr;
  const control::Program* program_ = nullptr;
  std::uint32_t semaphores_ = 0;
  TimeFs period_{1};
  TimeFs time_{};
};

}  // namespace heddle::debug
