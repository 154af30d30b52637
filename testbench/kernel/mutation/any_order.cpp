// SPDX-License-Identifier: Apache-2.0
#include "testbench/kernel/mutation/any_order.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <random>

#include "isa/base/error.hpp"
#include "sim/control/program.hpp"
#include "sim/control/semaphores.hpp"
#include "sim/control/sequencer.hpp"
#include "sim/exec/execute.hpp"

namespace heddle::mutation {
namespace {

constexpr std::uint64_t most_steps = 2'000'000;
constexpr std::uint64_t constants_address = 1 << 20;

class Machine {
 public:
  Machine(const config::ChipSpec& chip, exec::MachineMemory& memory, const control::Program& program,
          std::uint64_t seed)
      : depth_(static_cast<std::size_t>(chip.core.sequencer.queue_depth)),
        executor_(chip, memory),
        sequencer_(chip, memory, nullptr, 0, 0),
        semaphores_(chip.core.semaphores),
        random_(seed) {
    first_[static_cast<std::size_t>(isa::Unit::mxu)] = 1;
    first_[static_cast<std::size_t>(isa::Unit::vpu)] = 1 + static_cast<std::size_t>(chip.core.mxu.count);
    first_[static_cast<std::size_t>(isa::Unit::dma)] =
        first_[static_cast<std::size_t>(isa::Unit::vpu)] + static_cast<std::size_t>(chip.core.vpu.count);
    queues_.resize(first_[static_cast<std::size_t>(isa::Unit::dma)] + static_cast<std::size_t>(chip.core.dma.engines));
    rank_.resize(queues_.size());
    std::iota(rank_.begin(), rank_.end(), 0);
    executor_.begin_launch();
    sequencer_.start(program, program.entry("main").instruction, constants_address);
  }

  // "" when it ended well.
  std::string run() {
    for (std::uint64_t step = 0; step < most_steps; ++step) {
      // Whoever stands first in the ranking goes on as long as it can; now and then the ranking changes.
      if (random_() % 48 == 0 || step == 0) std::shuffle(rank_.begin(), rank_.end(), random_);
      const bool moved = std::any_of(rank_.begin(), rank_.end(), [&](std::size_t a) { return advance(a); });
      if (moved) continue;
      if (!halted_ || !idle()) return "deadlock";
      for (std::uint32_t s = 0; s < semaphores_.size(); ++s)
        if (semaphores_.value(s) != 0) return "s" + std::to_string(s) + " left";
      return "";
    }
    return "no end";
  }

 private:
  bool idle() const {
    return std::all_of(queues_.begin(), queues_.end(), [](const auto& q) { return q.empty(); });
  }

  bool advance(std::size_t agent) {
    if (agent == 0) return advance_sequencer();
    auto& queue = queues_[agent];
    if (queue.empty() || !semaphores_.try_take(queue.front().wait)) return false;
    executor_.execute(queue.front());
    for (const exec::SemCount& p : queue.front().post)
      if (p.count != 0) semaphores_.post(p.sem, p.count);
    queue.pop_front();
    return true;
  }

  bool advance_sequencer() {
    if (halted_) return false;
    const bool ran = !event_;
    if (!event_) event_ = sequencer_.run(1000);
    const control::Event& e = *event_;
    bool done = true;
    if (e.kind == control::EventKind::issue) {
      auto& queue = queues_[first_[static_cast<std::size_t>(e.op->unit)] + e.op->engine];
      done = queue.size() < depth_;
      if (done) queue.push_back(*e.op);
    } else if (e.kind == control::EventKind::sem_wait) {
      done = semaphores_.try_take(e.sem, e.n);
    } else if (e.kind == control::EventKind::sem_post) {
      semaphores_.post(e.sem, e.n);
    } else if (e.kind == control::EventKind::fence) {
      done = idle();
    } else if (e.kind == control::EventKind::halt) {
      halted_ = true;
    }
    if (done) event_.reset();
    return done || ran;
  }

  std::size_t depth_;
  exec::Executor executor_;
  control::Sequencer sequencer_;
  control::Semaphores semaphores_;
  std::mt19937_64 random_;
  std::array<std::size_t, 8> first_{};
  std::vector<std::deque<exec::EngineOp>> queues_;  // [0] stays empty: the sequencer
  std::vector<std::size_t> rank_;
  std::optional<control::Event> event_;
  bool halted_ = false;
};

}  // namespace

std::string run_in_order(const config::ChipSpec& chip, const isa::ProgramImage& image,
                         const std::vector<Placed>& tensors, const std::vector<std::uint64_t>& arguments,
                         std::uint64_t seed) {
  exec::MachineMemory memory(chip, false);
  for (std::size_t i = 0; i < image.constants.size(); ++i)
    memory.host_write(0, constants_address + image.constant_offset(i), image.constants[i].bytes.data(),
                      image.constants[i].bytes.size());
  for (const Placed& t : tensors) memory.host_write(0, t.address, t.bytes.data(), t.bytes.size());
  memory.begin_launch(arguments);
  try {
    const control::Program program(image);
    Machine machine(chip, memory, program, seed);
    if (std::string end = machine.run(); !end.empty()) return end;
  } catch (const Error& e) {
    return e.id();
  }
  std::string out;
  for (const Placed& t : tensors) {
    if (!t.output) continue;
    const std::size_t at = out.size();
    out.resize(at + t.bytes.size());
    memory.host_read(0, t.address, out.data() + at, t.bytes.size());
  }
  return out;
}

}  // namespace heddle::mutation
