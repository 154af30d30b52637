// SPDX-License-Identifier: Apache-2.0
#include "sim/compute/vpu.hpp"

#include <algorithm>

#include "sim/compute/vpu_timing.hpp"

namespace heddle::compute {

void Vpu::begin_launch(TimeFs start) {
  Engine::begin_launch(start);
  free_ = start;
  start_.reset();
}

std::int64_t Vpu::cycles_of(const exec::EngineOp& op, TimeFs at) {
  const config::VpuSpec& spec = context_.chip.core.vpu;
  const config::ScratchpadSpec& spm = context_.chip.core.scratchpad;
  if (spec.instant) return 0;
  std::int64_t least = vpu_body_cycles(spec, op);
  if (least == 0) return op.op == isa::Opcode::vpu_sync ? 0 : spec.start_cycles;
  std::int64_t words = 0;
  const auto operand = [&](const isa::View& v) {
    if (v.space != isa::Space::spm) return;
    const SpmAccess access = spm_access(spm, v);
    words += access.words;
    least = std::max(least, core_cycles(access.cycles));
  };
  operand(op.vd);
  switch (isa::info(op.op).format) {
    case isa::FormatId::vpu_unary:
    case isa::FormatId::vpu_scalar_x:
    case isa::FormatId::vpu_scalar_i:
    case isa::FormatId::vpu_affine_select:
      operand(op.va);
      break;
    case isa::FormatId::vpu_binary:
      operand(op.va), operand(op.vb);
      break;
    case isa::FormatId::vpu_select:
      operand(op.va), operand(op.vb), operand(op.vc);
      break;
    case isa::FormatId::vpu_topk:
      operand(op.va), operand(op.vc);
      break;
    case isa::FormatId::vpu_fused:
      operand(op.va);
      if (op.has_bias) operand(op.vb);
      if (op.has_row) operand(op.vc);
      break;
    default:
      break;
  }
  return spec.start_cycles + context_.spm.reserve(id(), words, least, at, period_);
}

void Vpu::run() {
  while (!empty()) {
    const Entry& e = head();
    if (!start_) {
      const TimeFs could = std::max(e.ready, free_);
      const std::optional<TimeFs> taken = context_.semaphores.take(id(), e.op.wait, could);
      if (!taken) return;
      start_ = delayed(*taken, e.op, control::Delay::start);
      stats_.waiting += *taken - could;
      tell_started(e, could + (*start_ - *taken), *start_);
    }
    const TimeFs at = *start_;
    if (too_early(at)) return;
    start_.reset();
    const TimeFs stretched = context_.spm.stretched();
    free_ = at + cycles(cycles_of(e.op, at));
    add_busy(at, free_);
    context_.submit(e.op, at);
    const exec::EngineOp& op = e.op;  // stays in its ring place until the sequencer's next turn
    pop(at);
    const TimeFs end = delayed(free_, op, control::Delay::completion);
    tell_finished(op, {at, free_, end, context_.spm.stretched() - stretched});
    complete(op, end);
  }
}

}  // namespace heddle::compute
