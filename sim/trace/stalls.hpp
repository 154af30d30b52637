// SPDX-License-Identifier: Apache-2.0
// Stall accounting: for every agent of every core, each femtosecond of each launch has exactly one reason. They are
// given out along a cursor that only moves on, from the launch to its end, so they sum to the launch by construction.
//
// Where an agent does several things at once, the first that claims a moment has it: an MXU's load counts only where no
// rows entered meanwhile, a transfer only after the one before it was complete.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/trace/recorder.hpp"
#include "sim/trace/scope_walk.hpp"

namespace heddle::trace {

enum class Reason : std::uint8_t {
  busy,           // rows enter the MXU; the VPU, the sequencer work; data pass a DMA engine's data path
  weight_load,    // MXU: weights load while no rows enter
  bank_conflict,  // others' use of the scratchpad's banks made it longer
  pipeline,       // the unit's own order: issue distance, weights not ready, results on their way out
  semaphore,      // the next instruction waits for a post
  queue_empty,    // the next instruction had not been issued: the sequencer was behind
  dma_start,      // start cost of a transfer
  dma_issue,      // between transfers, and between packets
  hbm,            // data of the transfer was in the memory
  noc,            // ... on its way there or back
  queue_full,     // sequencer: before a full queue
  fence,          // sequencer: until all engines are idle
  drained,        // nothing came any more
  off,            // no instruction in the whole launch
  launch,         // before the first instruction may start
};
inline constexpr std::size_t reason_count = 15;
inline constexpr std::array<std::string_view, reason_count> reason_names{
    "busy", "weight load", "bank conflict", "pipeline", "semaphore", "queue empty", "DMA start", "DMA issue",
    "HBM",  "NoC",         "queue full",    "fence",    "drained",   "off",         "launch"};
constexpr std::string_view name(Reason r) { return reason_names[static_cast<std::size_t>(r)]; }

// Whose time, at which instruction, why. Cores and engines of a kind are summed.
struct StallKey {
  static constexpr std::uint32_t nowhere = 0xffffffff;
  std::uint32_t program = 0;
  std::uint32_t pc = nowhere;  // of the instruction that waits or works; of queue_empty, the one that came late
  isa::Unit unit = isa::Unit::control;  // control: the sequencer
  Reason reason = Reason::busy;
  std::uint8_t sem = 0;              // of a wait; of queue_full the agent's number
  std::uint32_t cause_pc = nowhere;  // of a wait: whose post ended it
  friend auto operator<=>(const StallKey&, const StallKey&) = default;
};

struct AgentStalls {
  Agent agent;
  isa::Unit unit = isa::Unit::control;
  std::uint32_t index = 0;
  std::array<TimeFs, reason_count> time{};
};

// Is told each piece of time as it is given out: for each agent, by core and number, in order and without gaps.
class IChargeListener {
 public:
  virtual ~IChargeListener() = default;
  virtual void charged(std::size_t agent, const StallKey& key, TimeFs length) = 0;
};

class Stalls final : public IListener {
 public:
  explicit Stalls(const Programs& programs) : programs_(programs) {}
  void tell(IChargeListener* listener) { listener_ = listener; }
  // Launches of other entries are not counted.
  void count_only(std::string entry) { entry_ = std::move(entry); }

  const std::vector<AgentStalls>& agents() const { return agents_; }
  const std::map<StallKey, TimeFs>& places() const { return places_; }
  // Time that core 0's sequencer spent inside each scope, {program, scope} outer and inner; and how often it came in.
  struct Passage {
    TimeFs time{};
    std::uint64_t times = 0;
  };
  const std::map<std::pair<std::uint32_t, std::uint32_t>, Passage>& passages() const { return passages_; }
  TimeFs total() const { return total_; }  // of all launches
  const Programs& programs() const { return programs_; }
  TimeFs period() const { return period_; }

  void opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
              const memory::MemoryStats& memory) override;
  void launch_began(std::uint32_t program, std::string_view entry, TimeFs launch, TimeFs start) override;
  void launch_ended(TimeFs end) override;
  void executed(std::uint32_t core, std::uint32_t pc, TimeFs local) override;
  void stalled(std::uint32_t core, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs from, TimeFs to,
               const Cause* cause) override;
  void halted(std::uint32_t core, TimeFs at) override;
  void ran(const Record& record) override;
  void data_path(Agent agent, TimeFs from, TimeFs to) override;
  void batch_back(Agent agent, const BatchTimes& times) override;

 private:
  struct Span {
    TimeFs from, to;
  };
  struct State {
    TimeFs cursor{}, last_end{};
    bool used = false;
    std::deque<Span> path;           // the data path carried data
    std::deque<BatchTimes> batches;  // in the order in which they came back
  };
  std::size_t index_of(Agent a) const { return a.core * agents_a_core_ + a.number; }
  void charge(std::size_t agent, TimeFs until, Reason reason, std::uint32_t pc, const Cause* cause = nullptr,
              std::uint8_t which = 0);
  void in_flight(std::size_t agent, TimeFs end, std::uint32_t pc);
  void pass(TimeFs at);  // walk_ has moved

  const Programs& programs_;
  IChargeListener* listener_ = nullptr;  // or none
  std::string entry_;                    // empty: all
  bool counting_ = true;                 // this launch
  std::size_t agents_a_core_ = 1;
  TimeFs period_{}, dma_start_{}, launch_{}, total_{};
  std::uint32_t program_ = 0;
  std::vector<AgentStalls> agents_;  // by core, then number
  std::vector<State> states_;
  std::map<StallKey, TimeFs> places_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Passage> passages_;
  ScopeWalk walk_;  // core 0's sequencer, since
  TimeFs since_{};
};

}  // namespace heddle::trace
