// SPDX-License-Identifier: Apache-2.0
// What a launch does, told as it happens in one global order, to an instrument that looks on. The order is one that the
// machine could have taken: whatever an event waited for has been told before it. Nothing told here costs a cycle.
#pragma once
#include <cstdint>

#include "isa/image/image.hpp"
#include "sim/exec/engine_op.hpp"

namespace heddle::exec {

class IRunObserver {
 public:
  virtual ~IRunObserver() = default;

  // Everything before a launch, the host's accesses among it, is ordered before everything in it.
  virtual void begin_launch(const isa::ProgramImage* image) = 0;
  // The sequencer of op.core puts op into its engine's queue.
  virtual void issue(const EngineOp& op) = 0;
  // op has taken what it waits for and takes effect, its posts included. cycle < 0: no time exists. For gather and
  // scatter the index list lies in memory.
  virtual void start(const EngineOp& op, std::int64_t cycle) = 0;
  virtual void sequencer_wait(std::uint32_t core, std::uint32_t pc, std::uint32_t sem, std::int64_t n) = 0;
  virtual void sequencer_post(std::uint32_t core, std::uint32_t pc, std::uint32_t to_core, std::uint32_t sem,
                              std::int64_t n) = 0;
  virtual void fence(std::uint32_t core) = 0;
  // A load or a store of the core's sequencer to its SMEM.
  virtual void sequencer_access(std::uint32_t core, std::uint32_t pc, std::uint64_t address, std::uint64_t bytes,
                                bool write) = 0;
};

}  // namespace heddle::exec
