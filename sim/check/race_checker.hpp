// SPDX-License-Identifier: Apache-2.0
// Data races by happens-before (docs/hazards.md): two accesses to a byte, one of them a write, that nothing in the
// program orders, found also where this run's timing happened to keep them apart.
//
// Ordered are: the instructions of one agent (a core's sequencer, or one engine) among each other; an instruction's
// issue before its start; posts before the waits that could not do without them (semaphore_order.hpp); what a core's
// engines did before its sequencer's fence; and one launch before the next.
//
// What the race checker remembers shows also which sums in ACC were read before the last product was added to them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/check/clock.hpp"
#include "sim/check/findings.hpp"
#include "sim/check/semaphore_order.hpp"
#include "sim/check/shadow_memory.hpp"
#include "sim/config/chip_spec.hpp"
#include "sim/exec/dims.hpp"
#include "sim/exec/machine_memory.hpp"
#include "sim/exec/run_observer.hpp"

namespace heddle::check {

class RaceChecker final : public exec::IRunObserver {
 public:
  // All outlive the checker; what it finds, HDL-RACE-01, HDL-SEM-05 and HDL-ACC-01, goes into `findings`. Throws
  // HDL-CHECK-02 (unsupported) for a core with more than 63 engines.
  RaceChecker(const config::ChipSpec& chip, const exec::MachineMemory& memory, Findings& findings);

  void begin_launch(const isa::ProgramImage* image) override;
  void issue(const exec::EngineOp& op) override;
  void start(const exec::EngineOp& op, std::int64_t cycle) override;
  void sequencer_wait(std::uint32_t core, std::uint32_t pc, std::uint32_t sem, std::int64_t n) override;
  void sequencer_post(std::uint32_t core, std::uint32_t pc, std::uint32_t to_core, std::uint32_t sem,
                      std::int64_t n) override;
  void fence(std::uint32_t core) override;
  void sequencer_access(std::uint32_t core, std::uint32_t pc, std::uint64_t address, std::uint64_t bytes,
                        bool write) override;

 private:
  struct Agent {
    Clock clock;
    std::vector<Clock> issued;  // ring: the sequencer's clock at the issue of each instruction that has not started
    std::size_t issued_first = 0;
    std::size_t issued_count = 0;
  };
  // The instruction under way, for reports.
  struct Current {
    std::uint32_t agent = 0;
    std::uint32_t pc = 0;
    Stamp stamp = 0;
    const exec::EngineOp* op = nullptr;  // null: the sequencer
    std::int64_t cycle = -1;
  };
  std::uint32_t agent_number(const exec::EngineOp& op) const;
  SemaphoreOrder& semaphore(std::uint32_t core, std::uint32_t sem) {
    return semaphores_[core * semaphores_a_core_ + sem];
  }
  Stamp next_event(std::uint32_t agent, std::uint32_t pc);
  void take(Current& current, Clock& clock, std::uint32_t sem, std::int64_t n);
  void post(const Current& current, const Clock& clock, std::uint32_t core, std::uint32_t sem, std::int64_t n);
  void touch_operands(const Current& current, const Clock& clock);
  void touch(const Current& current, const Clock& clock, const isa::View& view, const char* what, bool write);
  void note(const Current& current, const exec::Place& place, const isa::View* view, const char* what, bool write,
            const Pass& pass);
  void touch_rows(const Current& current, const Clock& clock, const isa::View& table, const char* what, bool write);

  // report.cpp
  std::string name_of(std::uint32_t agent) const;
  std::optional<std::uint32_t> pc_of(Stamp s) const;
  std::string missing_edge(const Current& current, bool write, const Conflict& conflict) const;
  End end_of(Stamp event, const char* does) const;
  void add_race(const Current& current, const exec::Place& place, const isa::View* view, const char* what, bool write,
                const Conflict& conflict);
  void add_early_read(const Current& current, const exec::Place& place, const Conflict& conflict);
  void add_second_waiter(const Current& current, std::uint32_t core, std::uint32_t sem, Stamp other);

  const config::ChipSpec& chip_;
  const exec::MachineMemory& memory_;
  Findings& findings_;
  const isa::ProgramImage* image_ = nullptr;
  std::uint32_t agents_a_core_;
  std::uint32_t semaphores_a_core_;
  SemaphoreOrder::Rules rules_;
  History history_;
  Moment now_ = 0;
  Moment launch_ = 0;  // before the first event of the launch
  std::vector<Agent> agents_;
  std::vector<SemaphoreOrder> semaphores_;
  std::vector<ShadowMemory> shadows_;  // HBM, then SPM, ACC, SMEM of each core
  std::vector<std::uint32_t> pcs_;     // of the last events, by moment modulo their number
};

}  // namespace heddle::check
