// SPDX-License-Identifier: Apache-2.0
#include "sim/top/system.hpp"

#include <algorithm>

#include "isa/base/error.hpp"

namespace heddle::top {

System::System(const config::ChipSpec& chip, exec::MachineMemory& memory, SystemOptions options)
    : chip_(chip),
      memory_(memory),
      options_(std::move(options)),
      period_(chip.period_fs()),
      executor_(chip, memory),
      values_(executor_, memory.cores(), options_.host_threads) {
  if (chip.chips != 1) fail(ErrorKind::unsupported, "HDL-TOP-03", "{} chips; this simulator times one", chip.chips);
  values_.observe(options.run_observer);
  stack_ = std::make_unique<MemoryStack>("memory", memory::make_memory_model(chip.memory), failure_);
  fabric_ = std::make_unique<NocFabric>("noc", chip, stack_->model().channels());
  fabric_->memory.bind(stack_->socket);
  stack_->set_lookahead(fabric_->shortest_way());
  if (options_.jitter) jitter_.emplace(*options_.jitter);
  for (std::uint32_t c = 0; c < memory.cores(); ++c) {
    cores_.push_back(std::make_unique<Core>(("core" + std::to_string(c)).c_str(), chip_, c, memory_, values_, *this,
                                            failure_, options_.all_values, options_.make_mxu, options_.mxu_observer,
                                            options_.observer, jitter_ ? &*jitter_ : nullptr));
    for (auto& dma : cores_.back()->dmas()) dma->socket.bind(fabric_->engines);
  }
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates
  if (stopper_ != nullptr) {
    values_.hold_back();
    stopper_->opened(*this);
  }
  if (options_.observer != nullptr) {
    options_.observer->opened(chip_, fabric_->model().links(), stack_->model().stats());
    options_.observer->watch_channels(stack_->model());
  }
}

System::~System() {
  if (options_.observer != nullptr) options_.observer->closed();
  if (stopper_ != nullptr) stopper_->closed();
}

void System::remote_post(compute::PostOrigin from, std::uint32_t, std::uint32_t core, std::uint8_t sem, std::int64_t n,
                         TimeFs depart) {
  const TimeFs way = core == from.core ? TimeFs{} : fabric_->post_latency(from.core, core);
  cores_[core]->agenda().post_at(depart + way, sem, n, from);
}

void System::run(const control::Program& program, std::uint32_t first_instruction, std::uint64_t constants_address,
                 std::span<const std::uint64_t> arguments) {
  if (broken_) fail(ErrorKind::bad_input, "HDL-TOP-04", "an earlier launch failed; close the device and open it again");
  broken_ = true;  // until the launch has ended well
  memory_.begin_launch(arguments);
  values_.begin_launch(&program.image());
  if (jitter_) jitter_->begin_launch();
  const auto align = [&](TimeFs t) { return period_ * ((t + period_ - TimeFs(1)) / period_); };
  const TimeFs launch = align(std::max(compute::simulated_now(), ended_));
  const TimeFs start = align(launch + chip_.launch_overhead);
  if (options_.observer != nullptr) options_.observer->launch_began(program, first_instruction, launch, start);
  for (auto& core : cores_)
    core->begin_launch(program, first_instruction, constants_address, start, options_.max_instructions);
  for (auto& core : cores_) core->agenda().settle();  // those that start at the present
  if (stopper_ == nullptr) {
    if (sc_core::sc_pending_activity()) sc_core::sc_start();
    require_end(program);
  } else {
    run_watched(program);
  }
  ended_ = start;
  for (auto& core : cores_) ended_ = std::max(ended_, core->finished_at());
  ended_ = align(ended_);
  launched_ += ended_ - launch;
  if (options_.observer != nullptr) options_.observer->launch_ended(ended_);
  ++launches_;
  broken_ = false;
}

std::int64_t System::sync_values(std::int64_t cycle) {
  values_.release(cycle);
  values_.settle();
  return std::max(cycle, values_.reach());
}

// From one time at which something happens to the next: the same events in the same order as in one go.
void System::run_watched(const control::Program& program) {
  try {
    while (sc_core::sc_pending_activity()) {
      const sc_core::sc_time gap = sc_core::sc_time_to_pending_activity();
      const TimeFs now = compute::simulated_now();
      values_.release(now / period_);
      if (gap != sc_core::SC_ZERO_TIME)
        stopper_->time_passes(now, now + TimeFs(static_cast<std::int64_t>(gap.value())));
      sc_core::sc_start(gap);
    }
    stopper_->time_passes(compute::simulated_now(), debug::never);
    require_end(program);
  } catch (const Error& e) {
    stopper_->failed(e);
    throw;
  }
}

void System::require_end(const control::Program& program) {
  if (failure_.set()) {
    values_.sync();  // an error among the values came first, and is the one to report
    failure_.rethrow();
  }
  const bool finished = std::all_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->finished(); });
  values_.sync();
  if (!finished) {
    std::vector<control::Waiting> waiting;
    for (const auto& core : cores_) core->collect_waiting(waiting);
    control::fail_deadlock(program.image(), waiting, compute::simulated_now() / period_);
  }
  for (std::uint32_t c = 0; c < cores_.size(); ++c)
    control::require_zero_at_exit(program.image(), cores_[c]->semaphores().snapshot(), 0, c);
}

}  // namespace heddle::top
