// SPDX-License-Identifier: Apache-2.0
// One core's scalar processor as an interpreter. It knows no time, no queue and no semaphore: it runs until something
// leaves the scalar world, says what, and how many cycles the instructions took; the caller does the rest.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/config/chip_spec.hpp"
#include "sim/control/program.hpp"
#include "sim/control/semaphores.hpp"
#include "sim/control/watch.hpp"
#include "sim/exec/engine_op.hpp"
#include "sim/exec/machine_memory.hpp"
#include "sim/exec/validate.hpp"
#include "sim/exec/value_stream.hpp"

namespace heddle::control {

enum class EventKind : std::uint8_t {
  issue,     // op: put it into the queue of engine op->unit, op->engine
  sem_wait,  // wait until `sem` holds `n`, then take them
  sem_post,  // add `n` to `sem` of core `core` of chip `chip`
  fence,     // wait until all engines of the core are idle
  halt,      // the sequencer has ended
  budget,    // max_instructions have run
};

struct Event {
  EventKind kind = EventKind::halt;
  std::uint8_t sem = 0;
  std::uint32_t core = 0;
  std::uint32_t chip = 0;
  std::int64_t n = 0;
  std::uint32_t pc = 0;                // of the instruction that raised it; budget: of the next one
  std::int64_t cycles = 0;             // that the instructions of this run() took, the raising one included
  std::uint64_t instructions = 0;      // of this run()
  const exec::EngineOp* op = nullptr;  // issue: valid until the next run()
};

class Sequencer {
 public:
  // All outlive the sequencer. stream may be null (nothing else touches SMEM).
  Sequencer(const config::ChipSpec& chip, exec::MachineMemory& memory, exec::ValueStream* stream, std::uint32_t chip_id,
            std::uint32_t core_id);

  // x and v are zero but x2 = constants_address. The program outlives the launch.
  void start(const Program& program, std::uint32_t first_instruction, std::uint64_t constants_address);

  // After an event the caller has dealt with it when it calls run() again (a wait satisfied, a queue slot found).
  // Program errors come out located in the source; with the cycle where one is given (of this run's first instruction).
  // A load from SMEM costs its whole latency at once, whether or not the next instruction uses the value.
  Event run(std::uint64_t max_instructions = ~0ull, std::int64_t cycle = -1);

  std::uint32_t core() const { return core_id_; }
  std::uint32_t chip() const { return chip_id_; }
  std::uint32_t pc() const { return pc_; }
  std::int64_t x(int i) const { return x_[static_cast<std::size_t>(i)]; }
  const isa::View& v(int i) const { return v_[static_cast<std::size_t>(i)]; }

 private:
  template <bool Watched>
  void interpret(std::uint64_t max_instructions, std::int64_t cycle, Event& event);
  // Tells those who watch that control has come to pc_.
  void show(std::int64_t cycle);
  bool comes_to(const isa::PrintStep& step) const;
  void take_step(const isa::PrintStep& step, const Moment& at);
  void print_view(const isa::PrintStep& step, const Moment& at);
  std::int64_t keep(const isa::PrintStep& step) const;
  std::int64_t print_value(isa::PrintValue value) const;
  void fill_op(const Micro& m, std::uint32_t pc);
  const isa::View& view(std::uint8_t number) const;
  void build_view(const Micro& m);
  void change_view(const Micro& m);
  std::uint32_t checked_size(const isa::ViewTemplate& t, std::size_t dim, std::int64_t size) const;
  void check_core(std::int64_t core, std::int64_t chip) const;
  std::uint64_t smem_address(std::uint64_t address, std::uint64_t bytes) const;
  template <class T>
  std::int64_t load(const Micro& m) const;
  template <class T>
  void store(const Micro& m);

  const config::ChipSpec& spec_;
  exec::MachineMemory& memory_;
  exec::ValueStream* stream_;
  const Program* program_ = nullptr;
  std::uint32_t chip_id_ = 0;
  std::uint32_t core_id_ = 0;
  exec::Region smem_;
  std::uint32_t pc_ = 0;
  std::uint64_t sequence_ = 0;
  std::array<std::int64_t, 32> x_{};
  std::array<isa::View, 32> v_{};
  std::array<std::uint32_t, 32> v_template_{};  // + 1; 0: the register was never set
  std::vector<exec::StationaryShape> tiles_;
  exec::EngineOp op_;

  IPrintSink* prints_ = Installed<IPrintSink>::get();
  IInstructionWatch* watch_ = Installed<IInstructionWatch>::get();
  std::vector<std::int64_t> kept_;  // t registers
  static constexpr std::uint32_t nowhere = 0xffff'ffff;
  std::uint32_t came_by_jump_of_ = nowhere;  // how control came to pc_; nowhere: it fell
};

}  // namespace heddle::control
