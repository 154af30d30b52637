// SPDX-License-Identifier: Apache-2.0
#include "sim/control/values_machine.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "sim/control/deadlock.hpp"
#include "sim/control/semaphores.hpp"
#include "sim/control/sequencer.hpp"
#include "sim/exec/validate.hpp"
#include "sim/exec/value_stream.hpp"

namespace heddle::control {
namespace {

// An engine's in-order queue: a ring of the chip's depth.
class Queue {
 public:
  explicit Queue(std::int64_t depth) : ring_(static_cast<std::size_t>(depth)) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == ring_.size(); }
  const exec::EngineOp& head() const { return ring_[first_]; }
  std::vector<exec::EngineOp> all() const {
    std::vector<exec::EngineOp> ops;
    for (std::size_t i = 0; i < size_; ++i) ops.push_back(ring_[(first_ + i) % ring_.size()]);
    return ops;
  }
  void push(const exec::EngineOp& op) { ring_[(first_ + size_++) % ring_.size()] = op; }
  void pop() {
    first_ = (first_ + 1) % ring_.size();
    --size_;
  }
  void clear() { size_ = 0; }

 private:
  std::vector<exec::EngineOp> ring_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

// Instructions a core may run before the others get a turn: only cores that loop without blocking ever reach it.
constexpr std::uint64_t turn = 1'000'000;
// The same in a drawn order, so that a core which polls gives the others a chance, and how many steps a ranking lasts
// on average.
constexpr std::uint64_t shuffled_turn = 1000;
constexpr std::uint64_t steps_a_ranking = 48;

struct Core {
  Core(const config::ChipSpec& chip, exec::MachineMemory& memory, exec::ValueStream& stream, std::uint32_t id)
      : sequencer(chip, memory, &stream, 0, id), semaphores(chip.core.semaphores), first_engine{} {
    const auto add = [&](isa::Unit unit, std::int64_t count) {
      first_engine[static_cast<std::size_t>(unit)] = queues.size();
      for (std::int64_t i = 0; i < count; ++i) queues.emplace_back(chip.core.sequencer.queue_depth);
    };
    add(isa::Unit::mxu, chip.core.mxu.count);
    add(isa::Unit::vpu, chip.core.vpu.count);
    add(isa::Unit::dma, chip.core.dma.engines);
  }
  Queue& queue(isa::Unit unit, std::uint32_t engine) {
    return queues[first_engine[static_cast<std::size_t>(unit)] + engine];
  }
  bool idle() const {
    return std::all_of(queues.begin(), queues.end(), [](const Queue& q) { return q.empty(); });
  }

  Sequencer sequencer;
  Semaphores semaphores;
  std::vector<Queue> queues;
  std::array<std::size_t, 8> first_engine;  // by unit
  std::optional<Event> pending;             // an event that could not be dealt with yet
  bool halted = false;
};

}  // namespace

struct ValuesMachine::State {
  State(const config::ChipSpec& spec, exec::MachineMemory& mem, unsigned host_threads,
        std::unique_ptr<exec::IMxuExecutor> mxus)
      : chip(spec), memory(mem), executor(spec, mem, std::move(mxus)), stream(executor, mem.cores(), host_threads) {
    cores.reserve(mem.cores());
    for (std::uint32_t c = 0; c < mem.cores(); ++c) cores.emplace_back(spec, mem, stream, c);
  }

  // True when the event is dealt with.
  bool deal_with(Core& core, const Event& e) {
    switch (e.kind) {
      case EventKind::issue: {
        Queue& q = core.queue(e.op->unit, e.op->engine);
        if (q.full()) return false;
        if (observer != nullptr) observer->issue(*e.op);
        q.push(*e.op);
        ++counts.engine_instructions;
        return true;
      }
      case EventKind::sem_wait:
        if (!core.semaphores.try_take(e.sem, e.n)) return false;
        if (observer != nullptr) observer->sequencer_wait(core.sequencer.core(), e.pc, e.sem, e.n);
        return true;
      case EventKind::sem_post:
        if (observer != nullptr) observer->sequencer_post(core.sequencer.core(), e.pc, e.core, e.sem, e.n);
        post(core.sequencer.core(), e.pc, cores[e.core], e.sem, e.n);
        return true;
      case EventKind::fence:
        if (!core.idle()) return false;
        if (observer != nullptr) observer->fence(core.sequencer.core());
        return true;
      case EventKind::halt:
        core.halted = true;
        return true;
      case EventKind::budget:
        return true;
    }
    return true;
  }

  void post(std::uint32_t from, std::uint32_t pc, Core& to, std::uint32_t sem, std::int64_t n) {
    try {
      to.semaphores.post(sem, n);
    } catch (const Error& e) {
      throw exec::locate(e, *image, 0, from, pc);
    }
  }

  // Runs the core's sequencer until it blocks, halts or has had its turn; false when it could do nothing.
  bool run_sequencer(Core& core) {
    bool progress = false;
    std::uint64_t budget = turn;
    while (budget != 0 && step_sequencer(core, budget)) progress = true;
    return progress;
  }

  // Up to its next event, and that where it can be dealt with; false when it could do nothing.
  bool step_sequencer(Core& core, std::uint64_t& budget) {
    if (core.halted) return false;
    const bool ran = !core.pending;
    if (ran) {
      core.pending = core.sequencer.run(budget);
      budget -= core.pending->instructions;
      counts.instructions += core.pending->instructions;
    }
    const bool done = deal_with(core, *core.pending);
    if (done) core.pending.reset();
    return done || ran;
  }

  // Runs what stands ready at the heads of the core's queues.
  bool run_engines(Core& core) {
    bool progress = false;
    for (Queue& q : core.queues)
      while (run_head(core, q)) progress = true;
    return progress;
  }

  // Runs the instruction at the head of one of the core's queues; false when there is none that can start.
  bool run_head(Core& core, Queue& q) {
    if (q.empty() || !core.semaphores.try_take(q.head().wait)) return false;
    const exec::EngineOp& op = q.head();
    stream.submit(op);
    for (std::size_t i = 0; i < op.post.size(); ++i) {
      if (op.post[i].count == 0) continue;
      const bool away = i == 1 && op.remote_post && op.vd.remote;
      post(op.core, op.pc, away ? cores[op.vd.core] : core, op.post[i].sem, op.post[i].count);
    }
    q.pop();
    return true;
  }

  // The next agent's step in a drawn order: whoever stands first in a ranking goes on as long as it can; now and then
  // the ranking changes. False when nobody can do anything.
  bool shuffled_step() {
    const std::size_t agents = 1 + cores.front().queues.size();
    const bool first = ranking.empty();
    if (first) {
      ranking.resize(cores.size() * agents);
      std::iota(ranking.begin(), ranking.end(), 0);
    }
    // Not std::shuffle, which each library does in its own way.
    if ((*random)() % steps_a_ranking == 0 || first)
      for (std::size_t i = ranking.size(); i > 1; --i) std::swap(ranking[i - 1], ranking[(*random)() % i]);
    return std::any_of(ranking.begin(), ranking.end(), [&](std::size_t who) {
      Core& core = cores[who / agents];
      if (who % agents != 0) return run_head(core, core.queues[who % agents - 1]);
      std::uint64_t budget = shuffled_turn;
      return step_sequencer(core, budget);
    });
  }

  // A turn of every core and its engines.
  bool fixed_round() {
    bool progress = false;
    for (Core& core : cores) {
      progress = run_sequencer(core) || progress;
      progress = run_engines(core) || progress;
    }
    return progress;
  }

  bool finished() const {
    return std::all_of(cores.begin(), cores.end(), [](const Core& c) { return c.halted && c.idle(); });
  }

  [[noreturn]] void report_deadlock() {
    std::vector<Waiting> waiting;
    for (Core& core : cores) {
      const auto value = [&](std::uint32_t sem) { return core.semaphores.value(sem); };
      for (const Queue& q : core.queues)
        if (!q.empty()) waiting.push_back(waiting_of(q.all(), value));
      if (!core.pending) continue;
      Waiting w;
      w.core = core.sequencer.core();
      w.pc = core.pending->pc;
      if (core.pending->kind == EventKind::issue) {
        w.reason = Waiting::Reason::queue_full;
        w.full_unit = core.pending->op->unit;
        w.full_engine = core.pending->op->engine;
      } else if (core.pending->kind == EventKind::fence) {
        w.reason = Waiting::Reason::fence;
      } else {
        w.needs[0] = {core.pending->sem, core.pending->n, core.pending->n == 0 ? 0 : value(core.pending->sem)};
      }
      waiting.push_back(w);
    }
    fail_deadlock(*image, waiting);
  }

  void run() {
    while (random ? shuffled_step() : fixed_round()) {
    }
    if (!finished()) report_deadlock();
    stream.sync();
    for (Core& core : cores) require_zero_at_exit(*image, core.semaphores, 0, core.sequencer.core());
  }

  void clear() {
    for (Core& core : cores) {
      core.semaphores.reset();
      for (Queue& q : core.queues) q.clear();
    }
  }

  const config::ChipSpec& chip;
  exec::MachineMemory& memory;
  exec::Executor executor;
  exec::ValueStream stream;
  std::vector<Core> cores;
  exec::IRunObserver* observer = nullptr;
  std::optional<std::mt19937_64> random;  // of a drawn order
  std::vector<std::size_t> ranking;       // of all cores' sequencers and engines
  const isa::ProgramImage* image = nullptr;
  LaunchCounts counts;
};

ValuesMachine::ValuesMachine(const config::ChipSpec& chip, exec::MachineMemory& memory, unsigned host_threads,
                             std::unique_ptr<exec::IMxuExecutor> mxus)
    : state_(std::make_unique<State>(chip, memory, host_threads, std::move(mxus))) {}
ValuesMachine::~ValuesMachine() = default;

void ValuesMachine::observe(exec::IRunObserver* observer) {
  state_->observer = observer;
  state_->stream.observe(observer);
}

void ValuesMachine::shuffle(std::uint64_t seed) { state_->random.emplace(seed); }

LaunchCounts ValuesMachine::run(const Program& program, std::uint32_t first_instruction,
                                std::uint64_t constants_address, std::span<const std::uint64_t> arguments) {
  State& m = *state_;
  m.image = &program.image();
  m.counts = {};
  m.stream.begin_launch(m.image);
  m.memory.begin_launch(arguments);
  for (Core& core : m.cores) {
    core.sequencer.start(program, first_instruction, constants_address);
    core.pending.reset();
    core.halted = false;
  }
  try {
    m.run();
  } catch (...) {
    m.clear();
    m.stream.sync();  // an error among the values came first, and is the one to report
    throw;
  }
  return m.counts;
}

}  // namespace heddle::control
