// SPDX-License-Identifier: Apache-2.0
#include "sim/compute/engine.hpp"

#include <algorithm>
#include <bit>

namespace heddle::compute {
namespace {

std::int64_t own_clock(const config::CoreSpec& core, isa::Unit unit) {
  if (unit == isa::Unit::mxu) return core.mxu.clock_hz;
  return unit == isa::Unit::vpu ? core.vpu.clock_hz : core.dma.clock_hz;
}

}  // namespace

Engine::Engine(sc_core::sc_module_name name, CoreContext& context, isa::Unit unit, std::uint32_t index, AgentId id)
    : sc_module(name),
      context_(context),
      period_(context.chip.period_fs(own_clock(context.chip.core, unit))),
      unit_(unit),
      index_(index),
      id_(id),
      depth_(static_cast<std::size_t>(context.chip.core.sequencer.queue_depth)),
      mask_(std::bit_ceil(depth_) - 1),
      entries_(mask_ + 1),
      pops_(mask_ + 1) {}

std::optional<TimeFs> Engine::slot_at() {
  if (queued_ == depth_) {
    wanted_ = true;
    return std::nullopt;
  }
  return pops_[(head_ + queued_ - depth_) & mask_];
}

std::vector<exec::EngineOp> Engine::not_started() const {
  std::vector<exec::EngineOp> ops;
  for (std::size_t i = under_way(); i < queued_; ++i) ops.push_back(entry(i).op);
  return ops;
}

void Engine::push(const exec::EngineOp& op, TimeFs ready) {
  Entry& e = entries_[(head_ + queued_) & mask_];
  e.op = op;
  e.ready = ready;
  ++queued_;
  ++stats_.instructions;
  if (context_.observer != nullptr) context_.observer->issued(agent(), op, ready);
  if (queued_ == 1 || watch_) context_.agenda.mark(id_);
}

void Engine::pop(TimeFs time) {
  pops_[head_ & mask_] = time;
  ++head_;
  --queued_;
  if (wanted_) {
    wanted_ = false;
    context_.agenda.mark(context_.sequencer);
  }
}

std::optional<TimeFs> Engine::idle_at() {
  if (finished()) return last_done_;
  wanted_ = true;
  return std::nullopt;
}

TimeFs Engine::complete(const exec::EngineOp& op, TimeFs end) {
  last_done_ = std::max(last_done_, end);
  try {
    post(op);
  } catch (const Error& e) {
    throw context_.locate(e, op.pc, last_done_);
  }
  if (wanted_ && finished()) {
    wanted_ = false;
    context_.agenda.mark(context_.sequencer);
  }
  return last_done_;
}

void Engine::post(const exec::EngineOp& op) {
  const PostOrigin origin{op.core, op.pc, op.sequence};
  const exec::SemCount& first = op.post[0];
  const exec::SemCount& second = op.post[1];
  if (first.count != 0) context_.semaphores.post(id_, first.sem, first.count, last_done_, origin);
  if (second.count == 0) return;
  if (op.remote_post && op.vd.remote)
    context_.remote.remote_post(origin, op.vd.chip, op.vd.core, second.sem, second.count, last_done_);
  else
    context_.semaphores.post(id_, second.sem, second.count, last_done_, origin);
}

void Engine::add_busy(TimeFs from, TimeFs to) {
  from = std::max(from, busy_until_);
  if (to <= from) return;
  stats_.busy += to - from;
  busy_until_ = to;
}

void Engine::begin_launch(TimeFs start) {
  std::fill(pops_.begin(), pops_.end(), start);
  last_done_ = start;
}

}  // namespace heddle::compute
