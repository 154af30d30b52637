// SPDX-License-Identifier: Apache-2.0
// The queue of values: engine instructions in one global order, executed one after the other either at once in the
// caller's thread (host_threads 1) or by one worker thread behind it. Results are the same bits either way.
//
// Contract. One thread submits. It calls
//   sync()       before the host reads or writes memory, before it looks at indices in memory for timing, at the end of
//   a
//                launch, and before it reports an error of its own (an error in the stream came first);
//   sync_smem()  before it reads or writes SMEM of a core: returns at once unless a submitted instruction touches it.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "isa/image/image.hpp"
#include "sim/exec/engine_op.hpp"
#include "sim/exec/execute.hpp"
#include "sim/exec/run_observer.hpp"

namespace heddle::exec {

class ValueStream {
 public:
  // host_threads 0 or above 1: a worker; 1: none. cores: of all chips together, for sync_smem.
  ValueStream(Executor& executor, std::uint32_t cores, unsigned host_threads, std::size_t capacity = 512);
  ~ValueStream();
  ValueStream(const ValueStream&) = delete;
  ValueStream& operator=(const ValueStream&) = delete;

  // Forgets an earlier error and the tiles in the arrays; errors from now on are located in this image. The stream is
  // idle.
  void begin_launch(const isa::ProgramImage* image);

  // Copies op. cycle goes into the error's place only; negative: no time exists. Without a worker it throws what the
  // instruction throws; with one, sync() does.
  void submit(const EngineOp& op, std::int64_t cycle = -1);

  // Waits for all submitted instructions; throws the first error among them, in order. After an error the rest of the
  // launch's instructions are dropped, and every sync() throws it again.
  void sync();
  void sync_smem(std::uint32_t core) {
    if (held_smem_[core] || smem_ticket_[core] > seen_done_ || failed_.load(std::memory_order_acquire)) sync();
  }
  bool threaded() const { return worker_.joinable(); }

  // For a debugger, who looks at the memories while time stands: from now on submitted instructions are held back, in
  // their order, until release() of their cycle, or of a later one, or until somebody calls sync().
  void hold_back() { holding_ = true; }
  void release(std::int64_t cycle);
  // Waits for those that were released; throws as sync() does.
  void settle();
  // The latest cycle of an instruction that was executed.
  std::int64_t reach() const { return reach_; }

  // Told of launches and of instructions as they are submitted, in the submitting thread; may be null. What it throws
  // comes out of submit() as it is.
  void observe(IRunObserver* observer) { observer_ = observer; }
  IRunObserver* observer() const { return observer_; }

 private:
  struct Slot {
    EngineOp op;
    std::int64_t cycle = -1;
  };
  template <class F>
  void each_smem(const EngineOp& op, F&& f) const;
  void enqueue(const EngineOp& op, std::int64_t cycle);
  void work();
  void execute(const EngineOp& op, std::int64_t cycle);
  void publish();
  void report_done(std::uint64_t count);
  void wait_done(std::uint64_t ticket);

  // What one side writes often and the other reads lies on a cache line of its own: a line that both write costs more
  // than most instructions do.
  static constexpr std::size_t line = 64;

  Executor& executor_;
  IRunObserver* observer_ = nullptr;
  const isa::ProgramImage* image_ = nullptr;
  std::vector<Slot> ring_;
  std::deque<Slot> held_;
  std::vector<bool> held_smem_;  // by core: one of them touches its SMEM
  std::int64_t reach_ = -1;
  bool holding_ = false;
  std::vector<std::uint64_t> smem_ticket_;  // by core: last submitted instruction that touches its SMEM, counted from 1
  std::exception_ptr error_;                // written by the worker before done_ passes the failing instruction
  std::uint64_t submitted_ = 0;             // the submitting thread's own, as is the next
  std::uint64_t seen_done_ = 0;             // done_ when last looked at
  alignas(line) std::atomic<std::uint64_t> published_{0};  // submitted_, in batches
  alignas(line) std::atomic<std::uint64_t> done_{0};       // in batches too
  alignas(line) std::atomic<bool> failed_{false};          // these are written rarely
  std::atomic<bool> stop_{false};
  std::atomic<bool> worker_sleeps_{false};
  std::atomic<bool> caller_sleeps_{false};
  std::mutex mutex_;
  std::condition_variable to_worker_, to_caller_;
  std::thread worker_;
};

}  // namespace heddle::exec
