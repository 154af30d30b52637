// SPDX-License-Identifier: Apache-2.0
// A simulated machine in time: one chip's cores around its network and memory stack. (A system of several chips joined
// by links is to be a vector of what chip_ holds; the config has the place, this file is the other one.)
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/config/chip_spec.hpp"
#include "sim/control/jitter.hpp"
#include "sim/control/program.hpp"
#include "sim/debug/machine.hpp"
#include "sim/exec/execute.hpp"
#include "sim/top/core.hpp"
#include "sim/top/memory_stack.hpp"
#include "sim/top/noc_fabric.hpp"
#include "sim/top/systemc_context.hpp"
#include "sim/trace/counters.hpp"

namespace heddle::top {

struct SystemOptions {
  bool all_values = true;                      // full mode; false: timing
  unsigned host_threads = 0;                   // as of exec::ValueStream
  exec::IRunObserver* run_observer = nullptr;  // full mode: told of every launch; outlives the system
  // Of one core in one launch; more is HDL-SEM-04.
  std::uint64_t max_instructions = std::uint64_t{1} << 36;
  compute::MxuFactory make_mxu;  // empty: compute::Mxu
  compute::IMxuObserver* mxu_observer = nullptr;
  trace::IObserver* observer = nullptr;  // outlives the system
  std::optional<control::JitterOptions> jitter;
};

class System final : public compute::IRemotePosts, private debug::IMachine {
 public:
  // chip and memory outlive the system. Throws HDL-TOP-01 while another one is open, HDL-TOP-03 (unsupported) for a
  // chip that cannot be built.
  System(const config::ChipSpec& chip, exec::MachineMemory& memory, SystemOptions options);
  ~System() override;

  // Runs one launch to its end; simulated time goes on from the last one. Throws located program errors; after one
  // the system cannot be used again (HDL-TOP-04).
  void run(const control::Program& program, std::uint32_t first_instruction, std::uint64_t constants_address,
           std::span<const std::uint64_t> arguments);

  void count(trace::Counters& out) const;

 private:
  void remote_post(compute::PostOrigin from, std::uint32_t chip, std::uint32_t core, std::uint8_t sem, std::int64_t n,
                   TimeFs depart) override;
  void require_end(const control::Program& program);
  void run_watched(const control::Program& program);  // from the start to require_end(), with a debugger

  // To the debugger.
  const config::ChipSpec& chip() const override { return chip_; }
  const exec::MachineMemory& memory() const override { return memory_; }
  bool computes_values() const override { return options_.all_values; }
  std::int64_t sync_values(std::int64_t cycle) override;

  const config::ChipSpec& chip_;
  exec::MachineMemory& memory_;
  SystemOptions options_;
  TimeFs period_;
  SystemcContext context_;  // before the modules
  compute::Failure failure_;
  exec::Executor executor_;
  exec::ValueStream values_;
  std::unique_ptr<MemoryStack> stack_;
  std::unique_ptr<NocFabric> fabric_;
  std::optional<control::Jitter> jitter_;  // before the cores
  std::vector<std::unique_ptr<Core>> cores_;
  debug::IStopper* stopper_ = debug::InstalledStopper::get();
  bool broken_ = false;
  TimeFs ended_{};     // the last launch
  TimeFs launched_{};  // all launches together, from launch to end
  std::uint64_t launches_ = 0;
};

}  // namespace heddle::top
