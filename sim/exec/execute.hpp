// SPDX-License-Identifier: Apache-2.0
// The values of engine instructions, exactly as docs/isa/semantics.md states them. No time, no semaphores: the caller
// decides when an instruction runs.
#pragma once
#include <memory>

#include "isa/image/image.hpp"
#include "sim/config/chip_spec.hpp"
#include "sim/exec/engine_op.hpp"
#include "sim/exec/machine_memory.hpp"

namespace heddle::exec {

// Values of the arrays' instructions, where they are not computed by sim/exec's own vectorised loops.
class IMxuExecutor {
 public:
  virtual ~IMxuExecutor() = default;
  virtual void begin_launch() = 0;
  // mxu.load or mxu.matmul without an empty operand. Throws as Executor::execute.
  virtual void execute(const EngineOp& op, MachineMemory& memory) = 0;
};

class Executor {
 public:
  // chip and memory outlive the executor.
  Executor(const config::ChipSpec& chip, MachineMemory& memory, std::unique_ptr<IMxuExecutor> mxus = nullptr);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // op has passed validate(). Throws Error of kind program without a place: HDL-EXEC-02 a byte that nobody wrote,
  // HDL-EXEC-06 an index out of range, HDL-EXEC-07 a matmul that does not fit the loaded tile.
  void execute(const EngineOp& op);

  // The slots that the instruction's fresh operands lie in hold nothing any more.
  void empty_tiles(const EngineOp& op, const isa::ProgramImage& image);

  // Forgets the tiles that rest in the arrays.
  void begin_launch();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::exec
