// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/rtl_mxu.hpp"

#include <algorithm>

#include "sim/exec/operand.hpp"

namespace heddle::rtl {

RtlMxu::RtlMxu(const char* name, compute::CoreContext& context, std::uint32_t index, compute::AgentId id,
               std::unique_ptr<IMatrixRtl> rtl, IRtlObserver* observer)
    : Engine(name, context, isa::Unit::mxu, index, id),
      spec_(context.chip.core.mxu),
      spm_(context.chip.core.scratchpad),
      rtl_(std::move(rtl)),
      observer_(observer) {
  watch_every_push();
}

void RtlMxu::begin_launch(TimeFs start) {
  Engine::begin_launch(start);
  rtl_->reset(spec_.background_load, static_cast<std::uint8_t>(spec_.issue_cycles));
  in_ = {};
  cycle_ = start;
  woken_ = {};
  stream_free_ = start;
  settling_ = 0;
  given_ = in_rtl_ = 0;
  could_.reset();
  released_.reset();
  in_flight_.clear();
  load_ = stream_ = nullptr;
  weight_feeds_.clear();
  stream_feeds_.clear();
  loads_.clear();
  results_.clear();
  tile_.loaded = false;
}

void RtlMxu::run() {
  close_cycles(context_.align(context_.agenda.now()));
  offer();
  wake();
}

bool RtlMxu::quiet() const {
  return in_.push == nullptr && !in_.go && in_rtl_ == 0 && in_flight_.empty() && settling_ == 0;
}

void RtlMxu::close_cycles(TimeFs until) {
  while (cycle_ < until) {
    if (quiet()) {
      cycle_ = until;  // nothing moves in the array, and nothing enters it
      return;
    }
    close_cycle();
  }
}

// A cycle ahead while anything moves; else when the head becomes ready. Semaphores mark the engine by themselves.
void RtlMxu::wake() {
  TimeFs at{};
  if (!quiet())
    at = cycle_ + context_.period;
  else if (!empty() && (released_ || head().ready > cycle_))
    at = std::max(released_.value_or(TimeFs{}), head().ready);
  if (at <= context_.agenda.now() || at == woken_) return;
  woken_ = at;
  context_.agenda.wake_at(id(), at);
}

// In the current cycle: one more instruction into the RTL's queue, and the head of the queue if it can start.
void RtlMxu::offer() {
  give_instruction();
  while (!empty() && !in_.go && head().ready <= cycle_) {
    const exec::EngineOp& op = head().op;
    const bool sync = op.op == isa::Opcode::mxu_sync;
    if (given_ == 0) return;  // the RTL has not got it yet
    if (!released_) {
      const Outputs out = rtl_->evaluate(in_);
      if (!(sync ? out.issue_free : out.could)) return;
      if (!could_) could_ = cycle_;
      const std::optional<TimeFs> at = context_.semaphores.take(id(), op.wait, cycle_);
      if (!at) return;
      const TimeFs seen = context_.align(*at);
      released_ = delayed(seen, op, control::Delay::start);
      stats_.waiting += seen - *could_;
      if (op.op == isa::Opcode::mxu_load)
        stats_.weight_waiting += std::max(TimeFs{}, *released_ - std::max(*could_, stream_free_));
    }
    if (*released_ > cycle_) return;
    could_.reset();
    released_.reset();
    start_head();
    give_instruction();
  }
}

void RtlMxu::give_instruction() {
  while (given_ < queued() && entry(given_).ready <= cycle_) {
    const exec::EngineOp& op = entry(given_).op;
    if (op.op != isa::Opcode::mxu_sync) {
      if (in_.push != nullptr) return;  // one a cycle
      pushed_ = instruction_of(op);
      in_.push = &pushed_;
      ++in_rtl_;
    }
    ++given_;
  }
}

void RtlMxu::start_head() {
  auto work = std::make_shared<Work>();
  work->op = head().op;
  work->start = work->fed = work->end = cycle_;
  const exec::EngineOp& op = work->op;
  if (op.op != isa::Opcode::mxu_sync) {
    in_.go = true;
    --in_rtl_;
  }
  const bool nothing = op.op == isa::Opcode::mxu_sync || exec::is_empty(op);
  work->done = nothing;
  in_flight_.push_back(work);
  try {
    if (!nothing) context_.values.sync();
    if (!nothing && op.op == isa::Opcode::mxu_load) read_load(*work);
    if (!nothing && op.op == isa::Opcode::mxu_matmul) read_matmul(*work);
  } catch (const Error& e) {
    throw context_.locate(e, op.pc, cycle_);
  }
  if (!nothing && op.op == isa::Opcode::mxu_load) {
    loads_.push_back(work);
    if (work->count != 0) load_ = work;
  }
  if (!nothing && op.op == isa::Opcode::mxu_matmul) {
    stream_ = work;
    results_.push_back(work);
  }
  --given_;
  pop(cycle_);
  retire();
}

// Row i of n comes when its share of the operand's way out of the banks is over.
bool RtlMxu::granted(const Work& work) const {
  std::int64_t due = ((work.asked + 1) * work.pace + work.count - 1) / work.count - 1;
  if (work.fold != 0) due += work.asked / work.fold * work.between;
  return context_.cycle_of(cycle_ - work.start) >= due;
}

void RtlMxu::ask(WorkRef& work, std::deque<Due>& feeds) {
  feeds.push_back({cycle_ + context_.cycles(spm_.latency_cycles), work});
  if (++work->asked != work->count) return;
  work->fed = cycle_ + context_.period;
  work = nullptr;
}

void RtlMxu::close_cycle() {
  const bool starts = in_.go;
  Outputs out = rtl_->evaluate(in_);
  if (out.start != starts)
    fail(ErrorKind::internal, "HDL-RTL-04", "{} in the cycle of its start", starts ? "the RTL waits" : "the RTL goes");
  // Output-stationary arrays ask for both operands at once; the stream carries both.
  if (out.stream_fetch && stream_ != nullptr && granted(*stream_)) {
    in_.stream_grant = true;
    ask(stream_, stream_feeds_);
  }
  if (out.weight_fetch && load_ != nullptr && granted(*load_)) {
    in_.weight_grant = true;
    ask(load_, weight_feeds_);
  }
  if (!stream_feeds_.empty() && stream_feeds_.front().time <= cycle_) {
    const WorkRef work = stream_feeds_.front().work;
    stream_feeds_.pop_front();
    in_.stream_feed = true;
    rtl_->row(std::span(work->lanes).subspan(work->fed_rows * work->width, work->width));
    if (!work->weights.empty()) {
      const auto cols = static_cast<std::size_t>(rtl_->geometry().cols);
      rtl_->weights(std::span(work->weights).subspan(work->fed_rows % work->op.va.size[1] * cols, cols));
    }
    if (observer_ != nullptr) observer_->entered(work->op, work->fed_rows, cycle_);
    ++work->fed_rows;
  }
  if (!weight_feeds_.empty() && weight_feeds_.front().time <= cycle_) {
    const WorkRef work = weight_feeds_.front().work;
    weight_feeds_.pop_front();
    in_.weight_feed = true;
    rtl_->weights(std::span(work->lanes).subspan(work->fed_rows * work->width, work->width));
    ++work->fed_rows;
  }
  out = rtl_->evaluate(in_);
  if (out.result) take_result(out);
  const TimeFs end = cycle_ + context_.period;
  const auto finish = [&](std::deque<WorkRef>& queue, const char* what) {
    if (queue.empty()) fail(ErrorKind::internal, "HDL-RTL-04", "the RTL ends a {} that it never began", what);
    queue.front()->done = true;
    queue.front()->end = end;
    if (rtl_->geometry().output_stationary) queue.front()->fed = end;  // nothing overlaps
    queue.pop_front();
  };
  if (out.load_done) finish(loads_, "load");
  if (out.matmul_done) finish(results_, "matmul");
  rtl_->clock();
  cycle_ = end;
  // Weights may still be on their way when their load is done, and the next start may have to wait.
  settling_ = starts || !in_flight_.empty() ? rtl_->geometry().rows + rtl_->geometry().cols + spec_.issue_cycles
                                            : std::max<std::int64_t>(0, settling_ - 1);
  in_ = {};
  retire();
}

void RtlMxu::take_result(const Outputs& out) {
  if (results_.empty()) fail(ErrorKind::internal, "HDL-RTL-04", "the RTL gives a result that nothing asked for");
  try {
    take_result(out, *results_.front());
  } catch (const Error& e) {
    throw context_.locate(e, results_.front()->op.pc, cycle_);
  }
}

void RtlMxu::take_result(const Outputs& out, Work& work) {
  const exec::Operand to(work.op.vd, work.op, context_.memory);
  const std::size_t n = to.size[3];
  const std::int64_t offset = static_cast<std::int64_t>(work.left) * to.stride[2];
  const bool floats = is_float(work.op.va.dtype);
  const auto cols = static_cast<std::size_t>(rtl_->geometry().cols);
  if (out.result_accumulates) {
    old_.assign(cols, 0);
    if (floats)
      exec::read_run(to, offset, to.stride[3], n, reinterpret_cast<float*>(old_.data()));
    else
      exec::read_run(to, offset, to.stride[3], n, reinterpret_cast<std::int32_t*>(old_.data()));
    rtl_->accumulators(old_);
    rtl_->evaluate(in_);
  }
  out_.resize(cols);
  rtl_->result(out_);
  if (observer_ != nullptr) observer_->left(work.op, work.left, cycle_, std::span(out_).first(n));
  if (floats)
    exec::write_run(to, offset, to.stride[3], n, reinterpret_cast<const float*>(out_.data()));
  else
    exec::write_run(to, offset, to.stride[3], n, reinterpret_cast<const std::int32_t*>(out_.data()));
  exec::mark_written(to, offset, to.stride[3], n);
  ++work.left;
}

// Completions are told in queue order, like any engine's.
void RtlMxu::retire() {
  while (!in_flight_.empty() && in_flight_.front()->done) {
    const WorkRef work = in_flight_.front();
    in_flight_.pop_front();
    if (context_.mxu_observer != nullptr && work->op.op != isa::Opcode::mxu_sync)
      context_.mxu_observer->ran(work->op, work->start, work->fed, work->end);
    complete(work->op, delayed(work->end, work->op, control::Delay::completion));
  }
}

}  // namespace heddle::rtl
