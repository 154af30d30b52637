// SPDX-License-Identifier: Apache-2.0
#include "sim/top/core_sequencer.hpp"

#include <algorithm>

#include "isa/base/error.hpp"

namespace heddle::top {
namespace {

// Far enough that waking up costs nothing, near enough that engines' shared resources see each other in time.
constexpr std::int64_t horizon_cycles = 1024;
// Instructions without an event after which the interpreter comes up for air.
constexpr std::uint64_t turn = 1u << 20;

}  // namespace

CoreSequencer::CoreSequencer(compute::CoreContext& context, compute::AgentMap agents,
                             std::vector<compute::Engine*> engines)
    : context_(context),
      agents_(agents),
      engines_(std::move(engines)),
      interpreter_(context.chip, context.memory, &context.values, 0, context.core),
      horizon_(context.jitter == nullptr ? context.cycles(horizon_cycles) : TimeFs{}) {}

void CoreSequencer::begin_launch(const control::Program& program, std::uint32_t first_instruction,
                                 std::uint64_t constants_address, TimeFs start, std::uint64_t max_instructions) {
  interpreter_.start(program, first_instruction, constants_address);
  event_.reset();
  halted_ = false;
  local_ = start;
  budget_ = max_instructions;
  context_.agenda.wake_at(compute::sequencer_agent, start);
}

void CoreSequencer::run() {
  while (!halted_) {
    if (event_) {
      if (!deal_with_event()) return;
      event_.reset();
      continue;
    }
    if (local_ > context_.agenda.now() + horizon_) {
      context_.agenda.wake_at(compute::sequencer_agent, local_);
      return;
    }
    if (budget_ == 0)
      throw context_.locate(
          Error(ErrorKind::program, "HDL-SEM-04",
                fmt::format("no end after {} instructions of this core in one launch", stats_.instructions)),
          interpreter_.pc(), local_);
    control::Event e = interpreter_.run(std::min(turn, budget_), context_.cycle_of(local_));
    if (context_.jitter != nullptr) [[unlikely]]
      e.cycles += context_.jitter->cycles(context_.core, compute::sequencer_agent, stats_.instructions,
                                          control::Delay::sequencer);
    budget_ -= std::min(budget_, e.instructions);
    stats_.instructions += e.instructions;
    const TimeFs took = context_.chip.core.sequencer.instant ? TimeFs{} : context_.cycles(e.cycles);
    stats_.busy += took;
    local_ += took;
    if (context_.observer != nullptr) context_.observer->executed(context_.core, e.pc, took, local_);
    event_ = e;
  }
}

void CoreSequencer::resume(TimeFs at, TimeFs& counter, trace::SequencerStall why, std::uint32_t which) {
  if (at <= local_) return;
  if (context_.observer != nullptr) context_.observer->stalled(context_.core, event_->pc, why, which, local_, at);
  counter += at - local_;
  local_ = at;
}

bool CoreSequencer::issue() {
  compute::Engine& engine = *engines_[agents_.of(event_->op->unit, event_->op->engine) - 1u];
  const std::optional<TimeFs> slot = engine.slot_at();
  if (!slot) return false;
  if (exec::IRunObserver* observer = context_.values.observer()) observer->issue(*event_->op);
  resume(*slot, stats_.queue_full, trace::SequencerStall::queue_full, engine.id());
  engine.push(*event_->op, local_);
  ++stats_.engine_instructions;
  return true;
}

bool CoreSequencer::deal_with_event() {
  const control::Event& e = *event_;
  exec::IRunObserver* const observer = context_.values.observer();
  switch (e.kind) {
    case control::EventKind::issue:
      return issue();
    case control::EventKind::sem_wait: {
      const std::optional<TimeFs> at = context_.semaphores.take(compute::sequencer_agent, e.sem, e.n, local_);
      if (!at) return false;
      if (observer != nullptr) observer->sequencer_wait(context_.core, e.pc, e.sem, e.n);
      resume(context_.align(*at), stats_.semaphore, trace::SequencerStall::semaphore, e.sem);
      return true;
    }
    case control::EventKind::sem_post:
      if (observer != nullptr) observer->sequencer_post(context_.core, e.pc, e.core, e.sem, e.n);
      try {
        if (e.core == context_.core)
          context_.semaphores.post(compute::sequencer_agent, e.sem, e.n, local_, {context_.core, e.pc});
        else
          context_.remote.remote_post({context_.core, e.pc}, e.chip, e.core, e.sem, e.n, local_);
      } catch (const Error& error) {
        throw context_.locate(error, e.pc, local_);
      }
      return true;
    case control::EventKind::fence: {
      TimeFs idle = local_;
      for (compute::Engine* engine : engines_) {
        const std::optional<TimeFs> at = engine->idle_at();
        if (!at) return false;
        idle = std::max(idle, *at);
      }
      if (observer != nullptr) observer->fence(context_.core);
      resume(idle, stats_.fence, trace::SequencerStall::fence, 0);
      return true;
    }
    case control::EventKind::halt:
      halted_ = true;
      if (context_.observer != nullptr) context_.observer->halted(context_.core, local_);
      return true;
    case control::EventKind::budget:
      return true;
  }
  return true;
}

std::optional<control::Waiting> CoreSequencer::waiting() const {
  if (halted_ || !event_) return std::nullopt;
  control::Waiting w;
  w.core = context_.core;
  w.pc = event_->pc;
  switch (event_->kind) {
    case control::EventKind::issue:
      w.reason = control::Waiting::Reason::queue_full;
      w.full_unit = event_->op->unit;
      w.full_engine = event_->op->engine;
      break;
    case control::EventKind::fence:
      w.reason = control::Waiting::Reason::fence;
      break;
    default:
      w.needs[0] = {event_->sem, event_->n, context_.semaphores.value(event_->sem)};
      break;
  }
  return w;
}

}  // namespace heddle::top
