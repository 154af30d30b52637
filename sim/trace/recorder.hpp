// SPDX-License-Identifier: Apache-2.0
// The observer that traces and stall accounts share: follows each engine instruction from the queue to its end, and
// each count of a semaphore from whoever posted it to whoever took it.
#pragma once
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "sim/trace/observer.hpp"
#include "sim/trace/program_info.hpp"

namespace heddle::trace {

// The post whose count was the last one that an instruction took of one semaphore.
struct Cause {
  std::uint8_t sem = 0;
  TimeFs time{};  // it took effect
  Poster by;
  std::uint64_t flow = 0;  // its number as an arrow
};

// An instruction that has ended.
struct Record {
  Agent agent;
  const exec::EngineOp& op;
  TimeFs ready, could, start;     // as of IObserver::started()
  std::span<const Cause> causes;  // of each semaphore that it took
  const Cause* last;              // the latest of them; null: it took none
  Course course;
};

// A launch's place in its chip and time, for whoever listens.
class IListener {
 public:
  virtual ~IListener() = default;
  virtual void opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
                      const memory::MemoryStats& memory) = 0;
  virtual void watch_channels(const memory::IMemoryModel&) {}
  virtual void launch_began(std::uint32_t program, std::string_view entry, TimeFs launch, TimeFs start) = 0;
  virtual void launch_ended(TimeFs end) = 0;
  virtual void executed(std::uint32_t core, std::uint32_t pc, TimeFs local) = 0;
  virtual void stalled(std::uint32_t core, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs from,
                       TimeFs to, const Cause* cause) = 0;
  virtual void halted(std::uint32_t, TimeFs) {}
  virtual void ran(const Record& record) = 0;
  virtual void issued(Agent, const exec::EngineOp&, TimeFs) {}
  virtual void memory_asked(Agent, const exec::EngineOp&, bool, std::int64_t) {}
  // As of IObserver, for those who follow the order of events more closely than records of what has ended.
  virtual void posted(std::uint32_t, std::uint8_t, std::int64_t, TimeFs, const Poster&) {}
  virtual void taken(Agent, std::uint8_t, std::int64_t) {}
  virtual void started(Agent, const exec::EngineOp&, TimeFs, TimeFs, TimeFs) {}
  virtual void transfer_began(Agent, TimeFs, bool) {}
  virtual void batch_issued(Agent, const BatchIssue&) {}
  virtual void moved_near(Agent, TimeFs, TimeFs, TimeFs) {}
  virtual void data_path(Agent, TimeFs, TimeFs) {}
  virtual void batch_back(Agent, const BatchTimes&) {}
  virtual void now(TimeFs) {}
};

class Recorder final : public IObserver {
 public:
  explicit Recorder(Programs& programs) : programs_(programs) {}
  void add(IListener* listener) { listeners_.push_back(listener); }

  // The arrows of an instruction's posts: one for each count, up to this many.
  static constexpr int most_arrows = 16;
  static std::uint64_t flow(std::uint64_t launch, std::uint32_t to_core, std::uint8_t sem, const Poster& by, int unit);
  std::uint64_t launch() const { return launch_; }

  void opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
              const memory::MemoryStats& memory) override;
  void watch_channels(const memory::IMemoryModel& memory) override;
  void closed() override {}
  void launch_began(const control::Program& program, std::uint32_t first_instruction, TimeFs launch,
                    TimeFs start) override;
  void launch_ended(TimeFs end) override;
  void executed(std::uint32_t core, std::uint32_t pc, TimeFs took, TimeFs local) override;
  void stalled(std::uint32_t core, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs from,
               TimeFs to) override;
  void halted(std::uint32_t core, TimeFs at) override;
  void issued(Agent agent, const exec::EngineOp& op, TimeFs time) override;
  void posted(std::uint32_t core, std::uint8_t sem, std::int64_t n, TimeFs time, const Poster& by) override;
  void taken(Agent by, std::uint8_t sem, std::int64_t n) override;
  void started(Agent agent, const exec::EngineOp& op, TimeFs ready, TimeFs could, TimeFs start) override;
  void finished(Agent agent, const exec::EngineOp& op, const Course& course) override;
  void memory_asked(Agent agent, const exec::EngineOp& op, bool write, std::int64_t bytes) override;
  void transfer_began(Agent agent, TimeFs begin, bool behind) override;
  void batch_issued(Agent agent, const BatchIssue& batch) override;
  void moved_near(Agent agent, TimeFs from, TimeFs to, TimeFs done) override;
  void data_path(Agent agent, TimeFs from, TimeFs to) override;
  void batch_back(Agent agent, const BatchTimes& times) override;
  void now(TimeFs time) override;

 private:
  struct Post {
    Poster by;
    TimeFs time;
    std::int64_t total = 0, left = 0;
  };
  struct Start {
    TimeFs ready, could, start;
    std::vector<Cause> causes;
  };
  struct AgentState {
    std::vector<Cause> taken;  // since the last start
    std::deque<Start> under_way;
  };

  Programs& programs_;
  std::vector<IListener*> listeners_;
  std::uint64_t launch_ = 0;
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::deque<Post>> posts_;  // by core and semaphore
  std::map<Agent, AgentState> agents_;
};

}  // namespace heddle::trace
