// SPDX-License-Identifier: Apache-2.0
// Who watches a system in time. An observer is told what happened and when; it decides nothing and no cycle depends on
// it. Without one, a test of a null pointer is all that an instruction pays.
//
// Contract
// - Agents are numbered within a core: 0 the sequencer, then the engines in the order mxu, vpu, dma.
// - Times may lie ahead of simulated time (agents compute ahead), but those of one agent come in order, and an engine's
//   instructions are told about in queue order: issued(), taken() for the counts it waited for, started(), finished().
// - References are valid during the call only, unless a comment says more.
#pragma once
#include <cstdint>
#include <vector>

#include "isa/base/strong.hpp"
#include "sim/config/chip_spec.hpp"
#include "sim/control/program.hpp"
#include "sim/exec/engine_op.hpp"
#include "sim/memory/i_memory_model.hpp"
#include "sim/noc/i_noc_model.hpp"

namespace heddle::trace {

// An agent of a core.
struct Agent {
  std::uint32_t core = 0;
  std::uint8_t number = 0;
  friend auto operator<=>(const Agent&, const Agent&) = default;
};

// The instruction that posts. `sequence` is its issue number on its core; none for the sequencer's own posts.
struct Poster {
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint32_t core = 0;
  std::uint32_t pc = 0;
  std::uint64_t sequence = none;
};

// How an engine instruction got from its start to its end.
struct Course {
  TimeFs begin{};     // at work: the start, of a DMA when its first packet may leave
  TimeFs free{};      // the engine's unit can take the next one of its kind
  TimeFs end{};       // complete: its posts take effect
  TimeFs conflict{};  // part of begin .. free that other engines' use of the scratchpad banks added
};

// A batch of packets as it leaves a DMA engine.
struct BatchIssue {
  enum class Bound : std::uint8_t {
    transfer,
    order,
    packets
  };                       // the transfer's begin; the batch before it; packets
                           // in flight that had to come back first
  std::uint32_t slot = 0;  // its name until it is back
  Bound bound = Bound::transfer;
  bool write = false;  // from this core's memories to the far side
  TimeFs issued{};     // its first packet
  TimeFs sent{};       // of a write: its last data have passed the data path
};

// Stations of a batch of packets between a DMA engine and the far side.
struct BatchTimes {
  TimeFs issued{}, arrived{}, served{}, back{};
  std::uint32_t slot = 0;
  bool behind = false;  // of a read: its data waited for the data path
  TimeFs through{};     // of a read: they have passed it; else `back`
  TimeFs done{};        // written; its packets are free
};

enum class SequencerStall : std::uint8_t { queue_full, semaphore, fence };

class IObserver {
 public:
  virtual ~IObserver() = default;
  // Once, before the first launch. What is referred to lives as long as the system.
  virtual void opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
                      const memory::MemoryStats& memory) = 0;
  // After it: the memory, whose channels' statistics are up to date whenever they are asked for.
  virtual void watch_channels(const memory::IMemoryModel&) {}
  virtual void closed() = 0;
  // Instructions may be executed from `start` on. The program lives until launch_ended().
  virtual void launch_began(const control::Program& program, std::uint32_t first_instruction, TimeFs launch,
                            TimeFs start) = 0;
  virtual void launch_ended(TimeFs end) = 0;

  // The sequencer executed up to and with the instruction at `pc`, which it has reached at `local`.
  virtual void executed(std::uint32_t core, std::uint32_t pc, TimeFs took, TimeFs local) = 0;
  // It stood at `pc` from `from` to `to`; of a full queue, whose; of a semaphore, which.
  virtual void stalled(std::uint32_t core, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs from,
                       TimeFs to) = 0;
  virtual void halted(std::uint32_t core, TimeFs at) = 0;

  // In an engine's queue from `time` on.
  virtual void issued(Agent agent, const exec::EngineOp& op, TimeFs time) = 0;
  // n counts were entered into a semaphore of `core`, to be taken in that order.
  virtual void posted(std::uint32_t core, std::uint8_t sem, std::int64_t n, TimeFs time, const Poster& by) = 0;
  virtual void taken(Agent by, std::uint8_t sem, std::int64_t n) = 0;
  // ready: in the queue; could: it could have started but for its semaphores; start: it had them.
  virtual void started(Agent agent, const exec::EngineOp& op, TimeFs ready, TimeFs could, TimeFs start) = 0;
  virtual void finished(Agent agent, const exec::EngineOp& op, const Course& course) = 0;

  // A DMA engine sent packets of an instruction to the memory stack, which counts so many bytes for them.
  virtual void memory_asked(Agent agent, const exec::EngineOp& op, bool write, std::int64_t bytes) = 0;
  // A DMA engine's next transfer leaves the queue: its first packet may leave at `begin`. behind: it would have been
  // ready sooner but for what the engine issued before it.
  virtual void transfer_began(Agent /*agent*/, TimeFs /*begin*/, bool /*behind*/) {}
  virtual void batch_issued(Agent /*agent*/, const BatchIssue& /*batch*/) {}
  // The transfer that began last moves data between memories of its core: through the data path from .. to.
  virtual void moved_near(Agent /*agent*/, TimeFs /*from*/, TimeFs /*to*/, TimeFs /*done*/) {}
  // A DMA engine's data path carried data.
  virtual void data_path(Agent agent, TimeFs from, TimeFs to) = 0;
  virtual void batch_back(Agent agent, const BatchTimes& times) = 0;
  // Simulated time now; statistics are up to date with it.
  virtual void now(TimeFs time) = 0;
};

// The observer of systems that are opened while this object lives; one at a time.
class Installed {
 public:
  explicit Installed(IObserver* observer);
  ~Installed();
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;
  static IObserver* get();  // null: none
};

}  // namespace heddle::trace
