// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/value_stream.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/exec/validate.hpp"

namespace heddle::exec {
namespace {

constexpr int spins = 2000;  // of a pause each, before a side parks: about the length of a few tile instructions
constexpr std::uint64_t batch = 32;  // instructions handed over, and reported done, at a time

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

// Calls f(core) for each operand in the SMEM of a core.
template <class F>
void ValueStream::each_smem(const EngineOp& op, F&& f) const {
  for (const isa::View* v : {&op.vd, &op.va, &op.vb, &op.vc}) {
    if (v->space != isa::Space::smem) continue;
    const std::uint32_t core = v->remote ? v->core : op.core;
    if (core < smem_ticket_.size()) f(core);
  }
}

ValueStream::ValueStream(Executor& executor, std::uint32_t cores, unsigned host_threads, std::size_t capacity)
    : executor_(executor), ring_(capacity), held_smem_(cores, false), smem_ticket_(cores, 0) {
  if (host_threads == 0) host_threads = std::thread::hardware_concurrency();
  if (host_threads > 1) worker_ = std::thread([this] { work(); });
}

ValueStream::~ValueStream() {
  if (!worker_.joinable()) return;
  publish();
  {
    const std::lock_guard lock(mutex_);
    stop_.store(true);
  }
  to_worker_.notify_one();
  worker_.join();
}

void ValueStream::begin_launch(const isa::ProgramImage* image) {
  if (worker_.joinable()) wait_done(submitted_);
  image_ = image;
  error_ = nullptr;
  failed_ = false;
  held_.clear();
  held_smem_.assign(held_smem_.size(), false);
  executor_.begin_launch();
  if (observer_ != nullptr) observer_->begin_launch(image);
}

// The first error is kept: what comes after it in the stream does not run.
void ValueStream::execute(const EngineOp& op, std::int64_t cycle) {
  if (failed_) return;
  try {
    try {
      if (op.fresh && image_ != nullptr) executor_.empty_tiles(op, *image_);
      executor_.execute(op);
    } catch (const Error& e) {
      if (image_ == nullptr) throw;
      throw locate(e, *image_, op.chip, op.core, op.pc, cycle);
    }
  } catch (...) {
    error_ = std::current_exception();
    failed_ = true;
  }
}

void ValueStream::submit(const EngineOp& op, std::int64_t cycle) {
  if (observer_ != nullptr) {
    if (op.op == isa::Opcode::dma_gather || op.op == isa::Opcode::dma_scatter) sync();  // the index list
    observer_->start(op, cycle);
  }
  if (!holding_) return enqueue(op, cycle);
  held_.push_back({op, cycle});
  each_smem(op, [&](std::uint32_t core) { held_smem_[core] = true; });
}

void ValueStream::enqueue(const EngineOp& op, std::int64_t cycle) {
  reach_ = std::max(reach_, cycle);
  if (!worker_.joinable()) {
    execute(op, cycle);
    if (failed_) std::rethrow_exception(error_);
    return;
  }
  // A full ring is waited on until a quarter of it is free, not for each place.
  if (submitted_ - seen_done_ >= ring_.size())
    wait_done(submitted_ - ring_.size() + std::max<std::size_t>(1, ring_.size() / 4));
  Slot& slot = ring_[submitted_ % ring_.size()];
  slot.op = op;
  slot.cycle = cycle;
  ++submitted_;
  each_smem(op, [&](std::uint32_t core) { smem_ticket_[core] = submitted_; });
  if (submitted_ % batch == 0) publish();
}

// Hands over all that was submitted, and wakes the worker if it sleeps.
void ValueStream::publish() {
  published_.store(submitted_, std::memory_order_seq_cst);
  if (worker_sleeps_.load(std::memory_order_seq_cst)) {
    const std::lock_guard lock(mutex_);
    to_worker_.notify_one();
  }
}

// The other direction: the worker's side.
void ValueStream::report_done(std::uint64_t count) {
  done_.store(count, std::memory_order_seq_cst);
  if (caller_sleeps_.load(std::memory_order_seq_cst)) {
    const std::lock_guard lock(mutex_);
    to_caller_.notify_one();
  }
}

void ValueStream::wait_done(std::uint64_t ticket) {
  const auto reached = [&] { return (seen_done_ = done_.load(std::memory_order_seq_cst)) >= ticket; };
  if (reached()) return;
  publish();
  for (int i = 0; i < spins; ++i) {
    if (reached()) return;
    pause();
  }
  std::unique_lock lock(mutex_);
  caller_sleeps_.store(true, std::memory_order_seq_cst);
  to_caller_.wait(lock, reached);
  caller_sleeps_.store(false, std::memory_order_relaxed);
}

void ValueStream::release(std::int64_t cycle) {
  while (!held_.empty() && held_.front().cycle <= cycle) {
    const Slot slot = std::move(held_.front());
    held_.pop_front();
    if (held_.empty()) held_smem_.assign(held_smem_.size(), false);
    enqueue(slot.op, slot.cycle);
  }
}

void ValueStream::sync() {
  if (!held_.empty()) release(std::numeric_limits<std::int64_t>::max());
  settle();
}

void ValueStream::settle() {
  if (worker_.joinable()) wait_done(submitted_);
  if (failed_) std::rethrow_exception(error_);
}

void ValueStream::work() {
  std::uint64_t next = 0;
  for (;;) {
    int idle = 0;
    while (published_.load(std::memory_order_acquire) == next && ++idle < spins) pause();
    if (published_.load(std::memory_order_acquire) == next) {
      std::unique_lock lock(mutex_);
      worker_sleeps_.store(true, std::memory_order_seq_cst);
      to_worker_.wait(lock, [&] { return stop_.load() || published_.load(std::memory_order_seq_cst) != next; });
      worker_sleeps_.store(false, std::memory_order_relaxed);
      if (published_.load() == next) return;  // stopped
    }
    const std::uint64_t end = std::min(published_.load(std::memory_order_acquire), next + batch);
    for (; next < end; ++next) {
      const Slot& slot = ring_[next % ring_.size()];
      execute(slot.op, slot.cycle);
    }
    report_done(next);
  }
}

}  // namespace heddle::exec
