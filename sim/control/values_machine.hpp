// SPDX-License-Identifier: Apache-2.0
// A launch in `values` mode: every core and engine, in a fixed order, without a clock.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "sim/config/chip_spec.hpp"
#include "sim/control/program.hpp"
#include "sim/exec/execute.hpp"
#include "sim/exec/machine_memory.hpp"
#include "sim/exec/run_observer.hpp"

namespace heddle::control {

struct LaunchCounts {
  std::uint64_t instructions = 0;  // all cores
  std::uint64_t engine_instructions = 0;
};

class ValuesMachine {
 public:
  // chip and memory outlive the machine. host_threads as of ValueStream; it changes no result. mxus as of Executor.
  ValuesMachine(const config::ChipSpec& chip, exec::MachineMemory& memory, unsigned host_threads,
                std::unique_ptr<exec::IMxuExecutor> mxus = nullptr);
  ~ValuesMachine();
  ValuesMachine(const ValuesMachine&) = delete;
  ValuesMachine& operator=(const ValuesMachine&) = delete;

  // Tells it of every launch from now on; null: nobody.
  void observe(exec::IRunObserver* observer);

  // From now on who goes on next, of all sequencers and engines that can, is drawn from this seed: any order that
  // queues and semaphores allow, where the fixed one is but one of them.
  void shuffle(std::uint64_t seed);

  // Runs all cores from first_instruction to halt, with the arguments in SMEM and x2 = constants_address.
  // Throws located program errors (HDL-EXEC-*, HDL-SEM-*); after one, semaphores are zero again.
  LaunchCounts run(const Program& program, std::uint32_t first_instruction, std::uint64_t constants_address,
                   std::span<const std::uint64_t> arguments);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::control
