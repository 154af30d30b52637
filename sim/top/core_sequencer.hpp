// SPDX-License-Identifier: Apache-2.0
// A core's sequencer in time: runs the interpreter ahead in local time, fills the engines' queues with instructions
// stamped with the cycle of their issue, and sleeps only on a full queue, a semaphore, a fence, or when it is far ahead
// of simulated time. Waiting never costs a cycle: local time goes on at the later of its own and the awaited time.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/compute/engine.hpp"
#include "sim/control/deadlock.hpp"
#include "sim/control/sequencer.hpp"

namespace heddle::top {

struct SequencerStats {
  std::uint64_t instructions = 0;
  std::uint64_t engine_instructions = 0;
  TimeFs busy{};        // executing
  TimeFs queue_full{};  // held by a full queue
  TimeFs semaphore{};   // in sem.wait
  TimeFs fence{};       // in fence
};

class CoreSequencer final : public compute::IAgent {
 public:
  // engines: by agent number - 1.
  CoreSequencer(compute::CoreContext& context, compute::AgentMap agents, std::vector<compute::Engine*> engines);

  void begin_launch(const control::Program& program, std::uint32_t first_instruction, std::uint64_t constants_address,
                    TimeFs start, std::uint64_t max_instructions);
  void run() override;

  bool halted() const { return halted_; }
  TimeFs local() const { return local_; }
  const SequencerStats& stats() const { return stats_; }
  // What it waits for, when it does.
  std::optional<control::Waiting> waiting() const;

 private:
  bool deal_with_event();
  bool issue();
  void resume(TimeFs at, TimeFs& counter, trace::SequencerStall why, std::uint32_t which);

  compute::CoreContext& context_;
  compute::AgentMap agents_;
  std::vector<compute::Engine*> engines_;
  control::Sequencer interpreter_;
  TimeFs horizon_;  // how far it runs ahead of simulated time
  std::optional<control::Event> event_;
  bool halted_ = true;
  TimeFs local_{};
  std::uint64_t budget_ = 0;
  SequencerStats stats_;
};

}  // namespace heddle::top
