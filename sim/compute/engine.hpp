// SPDX-License-Identifier: Apache-2.0
// An engine of a core: an in-order queue that the sequencer fills, possibly ahead of time, and whatever empties it.
#pragma once
#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "sim/compute/core_context.hpp"
#include "sim/compute/i_agent.hpp"
#include "sim/exec/engine_op.hpp"

namespace heddle::compute {

struct EngineStats {
  std::uint64_t instructions = 0;
  TimeFs busy{};            // working on at least one instruction
  TimeFs waiting{};         // ready to start its head instruction, but for a semaphore
  std::uint64_t bytes = 0;  // DMA: payload moved
  std::uint64_t macs = 0;   // MXU: multiply-accumulates asked for (m * k * n)
  TimeFs streaming{};       // MXU: rows entered
  TimeFs loading{};         // MXU: weights were loaded, and no rows entered meanwhile
  TimeFs weight_waiting{};  // MXU: neither, and the next instruction is a load that waits for a semaphore
};

class Engine : public sc_core::sc_module, public IAgent {
 public:
  Engine(sc_core::sc_module_name name, CoreContext& context, isa::Unit unit, std::uint32_t index, AgentId id);

  // The sequencer's side. The queue holds what has not started. Space only grows until the sequencer pushes again, so
  // a push may be ahead of simulated time. slot_at(): when the next entry will find room, or nothing if that depends
  // on what is not known yet; then the sequencer is marked once it is.
  std::optional<TimeFs> slot_at();
  void push(const exec::EngineOp& op, TimeFs ready);

  // When all pushed instructions have finished; nothing while that is not known, and then the sequencer is marked.
  std::optional<TimeFs> idle_at();

  isa::Unit unit() const { return unit_; }
  std::uint32_t index() const { return index_; }
  AgentId id() const { return id_; }
  const EngineStats& stats() const { return stats_; }
  // The instructions that wait to start, in order: the head of the queue and those behind it.
  std::vector<exec::EngineOp> not_started() const;
  virtual bool finished() const { return queued_ == 0; }
  virtual void begin_launch(TimeFs start);

 protected:
  struct Entry {
    exec::EngineOp op;
    TimeFs ready;
  };
  const Entry& head() const { return entries_[head_ & mask_]; }
  const Entry& entry(std::size_t place) const { return entries_[(head_ + place) & mask_]; }
  std::size_t queued() const { return queued_; }
  // Marks the engine at every push, not only at one into an empty queue.
  void watch_every_push() { watch_ = true; }
  bool empty() const { return queued_ == 0; }
  // How many at the front of the queue have taken what they wait for, where they stay in it for a while.
  virtual std::size_t under_way() const { return 0; }
  // The head leaves the queue at `time`.
  void pop(TimeFs time);
  // Posts of one engine are in order: not before those of an earlier instruction. Returns the time they take effect.
  TimeFs complete(const exec::EngineOp& op, TimeFs end);
  void add_busy(TimeFs from, TimeFs to);
  // `at`, later by what jitter draws for this instruction.
  TimeFs delayed(TimeFs at, const exec::EngineOp& op, control::Delay which) const {
    if (context_.jitter == nullptr) [[likely]]
      return at;
    return at + context_.cycles(context_.jitter->cycles(op.core, id_, op.sequence, which));
  }
  // Without jitter an engine computes ahead, and its instruction takes effect while simulated time is still behind its
  // start. With it effects come in the order of time, across engines: true while `start` is still to come, and then
  // the engine is marked there.
  bool too_early(TimeFs start) const {
    if (context_.jitter == nullptr || start <= context_.agenda.now()) [[likely]]
      return false;
    context_.agenda.wake_at(id_, start);
    return true;
  }
  // To the observer, if there is one.
  trace::Agent agent() const { return {context_.core, id_}; }
  void tell_started(const Entry& e, TimeFs could, TimeFs start) const {
    if (context_.observer != nullptr) context_.observer->started(agent(), e.op, e.ready, could, start);
  }
  void tell_finished(const exec::EngineOp& op, const trace::Course& course) const {
    if (context_.observer != nullptr) context_.observer->finished(agent(), op, course);
  }
  // Cycles of this engine's clock as a time, and cycles of the core's clock in its own, rounded up.
  TimeFs cycles(std::int64_t n) const { return period_ * n; }
  std::int64_t core_cycles(std::int64_t n) const {
    return period_ == context_.period ? n : (context_.period * n + period_ - TimeFs(1)) / period_;
  }

  CoreContext& context_;
  TimeFs period_{};  // of this engine's clock: the core's, unless its part of the configuration names one
  EngineStats stats_;
  TimeFs last_done_{};

 private:
  void post(const exec::EngineOp& op);

  isa::Unit unit_;
  std::uint32_t index_;
  AgentId id_;
  std::size_t depth_;
  std::size_t mask_;            // of the rings below: the next power of two, less one
  std::vector<Entry> entries_;  // ring
  std::vector<TimeFs> pops_;    // ring: when each entry left the queue
  std::uint64_t head_ = 0;
  std::uint64_t queued_ = 0;
  bool watch_ = false;
  bool wanted_ = false;  // the sequencer waits for a slot or for idleness
  TimeFs busy_until_{};
};

}  // namespace heddle::compute
