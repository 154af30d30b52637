// SPDX-License-Identifier: Apache-2.0
// What stands still when nothing can go on: HDL-SEM-01 (deadlock) and HDL-SEM-02 (semaphores not zero at exit).
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "isa/def/instructions.hpp"
#include "isa/image/image.hpp"
#include "sim/control/semaphores.hpp"
#include "sim/exec/engine_op.hpp"

namespace heddle::control {

struct Waiting {
  enum class Reason : std::uint8_t { semaphore, queue_full, fence };
  std::uint32_t chip = 0;
  std::uint32_t core = 0;
  isa::Unit unit = isa::Unit::control;  // control: the sequencer itself; else the engine's unit
  std::uint32_t engine = 0;
  std::uint32_t pc = 0;
  Reason reason = Reason::semaphore;  // queue_full: `unit`/`engine` of the full queue stand in full_unit, full_engine
  isa::Unit full_unit = isa::Unit::dma;
  std::uint32_t full_engine = 0;
  struct Need {
    std::uint32_t sem = 0;
    std::int64_t needed = 0;  // 0: absent
    std::int64_t has = 0;
  };
  std::array<Need, 2> needs{};
  std::vector<exec::EngineOp> queue;  // of an engine: the instruction that waits, and those behind it
};

// The instruction at the head of an engine's queue (not empty), and its semaphores with what they hold now. One
// semaphore named twice is one need of the sum.
Waiting waiting_of(std::vector<exec::EngineOp> queue, const std::function<std::int64_t(std::uint32_t sem)>& value);

// Several lines: each waiting instruction with its place, what it waits for, what is there, and which instructions of
// the image post that semaphore and where those are stuck.
std::string describe_waiting(const isa::ProgramImage& image, std::span<const Waiting> waiting);

// The same, and why nothing goes on: the circle in which they wait for each other, or who waits for what nobody is left
// to do (wait_graph.hpp). `waiting` is everyone who has not ended.
std::string describe_deadlock(const isa::ProgramImage& image, std::span<const Waiting> waiting);

// Throws HDL-SEM-01 of kind program, placed at the first waiting instruction's source line.
[[noreturn]] void fail_deadlock(const isa::ProgramImage& image, std::span<const Waiting> waiting,
                                std::int64_t cycle = -1);

// Throws HDL-SEM-02 naming each semaphore of the core that is not zero and the instructions that post it.
void require_zero_at_exit(const isa::ProgramImage& image, const Semaphores& semaphores, std::uint32_t chip,
                          std::uint32_t core);

}  // namespace heddle::control
