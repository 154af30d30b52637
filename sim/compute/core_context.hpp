// SPDX-License-Identifier: Apache-2.0
// What the agents of one core share.
#pragma once
#include <cstdint>

#include "isa/base/error.hpp"
#include "isa/base/strong.hpp"
#include "isa/image/image.hpp"
#include "sim/compute/agenda.hpp"
#include "sim/compute/semaphore_board.hpp"
#include "sim/compute/spm_traffic.hpp"
#include "sim/config/chip_spec.hpp"
#include "sim/control/jitter.hpp"
#include "sim/exec/machine_memory.hpp"
#include "sim/exec/timing_relevance.hpp"
#include "sim/exec/validate.hpp"
#include "sim/exec/value_stream.hpp"

namespace heddle::compute {

// Carries a post to another core: it leaves at `depart` and takes the network's way.
class IRemotePosts {
 public:
  virtual ~IRemotePosts() = default;
  virtual void remote_post(PostOrigin from, std::uint32_t chip, std::uint32_t core, std::uint8_t sem, std::int64_t n,
                           TimeFs depart) = 0;
};

class IMxuObserver;

struct CoreContext {
  const config::ChipSpec& chip;
  std::uint32_t core = 0;
  TimeFs period{};
  bool all_values = true;  // full mode; else only what control can depend on
  Agenda& agenda;
  SemaphoreBoard& semaphores;
  SpmTraffic& spm;
  exec::ValueStream& values;
  exec::MachineMemory& memory;
  IRemotePosts& remote;
  const isa::ProgramImage* image = nullptr;  // of the launch
  AgentId sequencer = sequencer_agent;
  IMxuObserver* mxu_observer = nullptr;
  trace::IObserver* observer = nullptr;     // or none
  const control::Jitter* jitter = nullptr;  // or none

  TimeFs cycles(std::int64_t n) const { return period * n; }
  // The first cycle boundary at or after t.
  TimeFs align(TimeFs t) const { return period * ((t + period - TimeFs(1)) / period); }
  std::int64_t cycle_of(TimeFs t) const { return t / period; }
  Error locate(const Error& e, std::uint32_t pc, TimeFs time) const {
    return image == nullptr ? e : exec::locate(e, *image, 0, core, pc, cycle_of(time));
  }
  void submit(const exec::EngineOp& op, TimeFs start) const {
    if (all_values || exec::needed_in_timing_mode(op)) values.submit(op, cycle_of(start));
  }
};

}  // namespace heddle::compute
