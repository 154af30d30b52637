// SPDX-License-Identifier: Apache-2.0
// One core: sequencer, engines, semaphores, scratchpad traffic.
#pragma once
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "sim/compute/mxu_observer.hpp"
#include "sim/compute/vpu.hpp"
#include "sim/dma/dma.hpp"
#include "sim/top/core_sequencer.hpp"

namespace heddle::top {

class Core : public sc_core::sc_module, private compute::IPostSink {
 public:
  // Posts to other cores go to `remote`. make_mxu makes the arrays; empty: compute::Mxu.
  Core(sc_core::sc_module_name name, const config::ChipSpec& chip, std::uint32_t number, exec::MachineMemory& memory,
       exec::ValueStream& values, compute::IRemotePosts& remote, compute::Failure& failure, bool all_values,
       const compute::MxuFactory& make_mxu, compute::IMxuObserver* mxu_observer, trace::IObserver* observer,
       const control::Jitter* jitter);

  void begin_launch(const control::Program& program, std::uint32_t first_instruction, std::uint64_t constants_address,
                    TimeFs start, std::uint64_t max_instructions);
  bool finished() const;
  TimeFs finished_at() const;
  void collect_waiting(std::vector<control::Waiting>& out) const;

  const std::vector<compute::Engine*>& engines() const { return engines_; }
  std::vector<std::unique_ptr<dma::Dma>>& dmas() { return dmas_; }
  const CoreSequencer& sequencer() const { return *sequencer_; }
  compute::SemaphoreBoard& semaphores() { return semaphores_; }
  compute::Agenda& agenda() { return agenda_; }
  const compute::SpmTraffic& spm() const { return spm_; }

 private:
  void deliver(std::uint8_t sem, std::int64_t n, TimeFs time, compute::PostOrigin origin) override;

  compute::AgentMap agents_;
  compute::Agenda agenda_;
  compute::SemaphoreBoard semaphores_;
  compute::SpmTraffic spm_;
  compute::CoreContext context_;
  std::vector<std::unique_ptr<compute::Engine>> mxus_;
  std::vector<std::unique_ptr<compute::Vpu>> vpus_;
  std::vector<std::unique_ptr<dma::Dma>> dmas_;
  std::vector<compute::Engine*> engines_;  // by agent number - 1
  std::unique_ptr<CoreSequencer> sequencer_;
};

}  // namespace heddle::top
