// SPDX-License-Identifier: Apache-2.0
#include "sim/compute/mxu.hpp"

#include <algorithm>

#include "sim/compute/mxu_observer.hpp"
#include "sim/compute/mxu_timing.hpp"

namespace heddle::compute {

Mxu::Mxu(sc_core::sc_module_name name, CoreContext& context, std::uint32_t index, AgentId id)
    : Engine(name, context, isa::Unit::mxu, index, id),
      spec_(context.chip.core.mxu),
      spm_(context.chip.core.scratchpad),
      exclusive_(spec_.dataflow == config::Dataflow::output_stationary && !spec_.overlap_folds),
      output_stationary_(spec_.dataflow == config::Dataflow::output_stationary),
      sets_(spec_.background_load ? 2 : 1) {}

void Mxu::begin_launch(TimeFs start) {
  Engine::begin_launch(start);
  next_issue_ = load_free_ = stream_free_ = drained_ = weights_ready_ = start;
  streamed_ = {start, start};
  set_ = 0;
  taken_.reset();
  wake_ = stream_read_ = TimeFs{};
}

TimeFs Mxu::settled(const exec::EngineOp& op, TimeFs at) const {
  SpmBanks& banks = context_.spm.banks();
  const bool reads = op.op == isa::Opcode::mxu_load || op.op == isa::Opcode::mxu_matmul;
  if (!banks.modelled() || !reads || op.va.elements() == 0) return {};
  const std::size_t bank = banks.bank_of(op.va.base);
  if (!banks.written_soon(bank)) return {};
  return banks.read_end(bank, at, context_.cycles(spm_access(spm_, op.va).words));
}

TimeFs Mxu::behind_writes(const isa::View& view, std::int64_t words, TimeFs took, TimeFs at) {
  SpmBanks& banks = context_.spm.banks();
  if (!banks.modelled()) return took;
  const TimeFs read = banks.read_end(banks.bank_of(view.base), at, context_.cycles(words)) - at;
  if (read > took) banks.note_delay(read - took);
  return std::max(took, read);
}

TimeFs Mxu::earliest(const exec::EngineOp& op) const {
  switch (op.op) {
    case isa::Opcode::mxu_load: {
      if (exclusive_) return next_issue_;
      if (sets_ == 1) return std::max({next_issue_, load_free_, drained_});
      return std::max({next_issue_, load_free_, streamed_[set_ ^ 1]});
    }
    case isa::Opcode::mxu_matmul:
      return exclusive_ ? std::max(next_issue_, drained_) : std::max({next_issue_, weights_ready_, stream_free_});
    default:
      return next_issue_;
  }
}

TimeFs Mxu::start(const exec::EngineOp& op, TimeFs at) {
  const std::uint32_t agent = id();
  if (spec_.instant) {
    if (op.op == isa::Opcode::mxu_matmul) stats_.macs += op.va.elements() * op.vd.size[1];
    return at;
  }
  if (op.op == isa::Opcode::mxu_load) {
    next_issue_ = at + cycles(spec_.issue_cycles);
    if (op.va.elements() == 0) return at;
    if (exclusive_) return next_issue_;
    TimeFs took = cycles(spec_.least_load_cycles);
    if (!output_stationary_) {
      const std::int64_t rows = op.va.size[op.transposed ? 1 : 0];
      const std::int64_t cols = op.va.size[op.transposed ? 0 : 1];
      const SpmAccess access = spm_access(spm_, op.va);
      const std::int64_t least =
          std::max(mxu_load_cycles(spec_, rows, cols, op.transposed), core_cycles(access.cycles));
      took = cycles(context_.spm.reserve(agent, access.words, least, at, period_));
      // One port: the load waits while rows stream out of the same bank.
      if (context_.spm.banks().modelled() && stream_read_ > at &&
          context_.spm.banks().bank_of(op.va.base) == stream_bank_)
        took += stream_read_ - at;
      took = behind_writes(op.va, access.words, took, at);
    }
    if (sets_ == 2) set_ ^= 1;
    load_free_ = weights_ready_ = at + took;
    stats_.loading += std::max(TimeFs{}, weights_ready_ - std::max(at, stream_free_));
    add_busy(at, weights_ready_);
    return weights_ready_ + context_.cycles(spm_.latency_cycles);
  }
  if (op.op == isa::Opcode::mxu_matmul) {
    const std::int64_t m = op.va.size[0];
    const std::int64_t k = op.va.size[1];
    next_issue_ = at + cycles(spec_.issue_cycles);
    if (op.vd.elements() == 0 || k == 0) return at;
    stats_.macs += static_cast<std::uint64_t>(m * k) * op.vd.size[1];
    const SpmAccess access = spm_access(spm_, op.va);
    const std::int64_t body = output_stationary_ ? mxu_output_stationary_cycles(spec_, op.va.dtype, m, k)
                                                 : mxu_stream_cycles(spec_, op.va.dtype, m);
    // Rows that come late delay what takes rows; nothing is asked for while a fold drains.
    const std::int64_t drains = exclusive_ ? (m + spec_.rows - 1) / spec_.rows * mxu_drain_cycles(spec_) : 0;
    const std::int64_t least = std::max(body - drains, core_cycles(access.cycles));
    TimeFs took = cycles(context_.spm.reserve(agent, access.words, least, at, period_));
    took = behind_writes(op.va, access.words, took, at) + cycles(drains);
    if (context_.spm.banks().modelled()) {
      stream_bank_ = context_.spm.banks().bank_of(op.va.base);
      stream_read_ = at + context_.cycles(access.words);
    }
    stream_free_ = streamed_[set_] = at + took;
    drained_ = stream_free_ + context_.cycles(spm_.latency_cycles) + cycles(exclusive_ ? 0 : mxu_drain_cycles(spec_));
    stats_.streaming += stream_free_ - at;
    add_busy(at, stream_free_);
    return drained_ + cycles(spec_.pipeline_cycles);
  }
  next_issue_ = std::max(next_issue_, at);  // mxu.sync: what follows a wait does not begin before it
  return at;
}

void Mxu::observe(const exec::EngineOp& op, TimeFs at, TimeFs end) const {
  if (op.op == isa::Opcode::mxu_sync) return;
  const bool load = op.op == isa::Opcode::mxu_load;
  const TimeFs fed = end == at ? at : output_stationary_ ? end : load ? weights_ready_ : stream_free_;
  context_.mxu_observer->ran(op, at, fed, end);
}

void Mxu::run() {
  while (!empty()) {
    const Entry& e = head();
    if (!taken_) {
      const TimeFs could = std::max(e.ready, earliest(e.op));
      const std::optional<TimeFs> taken = context_.semaphores.take(id(), e.op.wait, could);
      if (!taken) return;
      const TimeFs seen =
          period_ * ((*taken + period_ - TimeFs(1)) / period_);  // a post between two edges: at the next
      taken_ = delayed(seen, e.op, control::Delay::start);
      stats_.waiting += seen - could;
      tell_started(e, could + (*taken_ - seen), *taken_);
      if (e.op.op == isa::Opcode::mxu_load)
        stats_.weight_waiting += std::max(TimeFs{}, *taken_ - std::max(could, stream_free_));
    }
    const TimeFs at = *taken_;
    if (too_early(at)) return;
    if (const TimeFs known = settled(e.op, at); known > context_.agenda.now()) {
      if (wake_ != known) context_.agenda.wake_at(id(), wake_ = known);
      return;
    }
    taken_.reset();
    const TimeFs stretched = context_.spm.stretched();
    const TimeFs end = delayed(start(e.op, at), e.op, control::Delay::completion);
    context_.submit(e.op, at);
    if (context_.mxu_observer != nullptr) [[unlikely]]
      observe(e.op, at, end);
    const exec::EngineOp& op = e.op;  // stays in its ring place until the sequencer's next turn
    pop(at);
    const TimeFs unit_free = op.op == isa::Opcode::mxu_load ? load_free_ : stream_free_;
    tell_finished(op, {at, std::clamp(unit_free, at, std::max(at, end)), end, context_.spm.stretched() - stretched});
    complete(op, end);
  }
}

}  // namespace heddle::compute
