// SPDX-License-Identifier: Apache-2.0
// Several run observers at once, and those that the devices opened from now on are to have.
#pragma once
#include <vector>

#include "sim/config/chip_spec.hpp"
#include "sim/exec/machine_memory.hpp"
#include "sim/exec/run_observer.hpp"

namespace heddle::exec {

// A run observer that may look into the memories. With one host thread they hold, at start(), what all earlier
// instructions have left and nothing of this one. Of issues and the sequencers' doings it hears where it asks.
class IRunWatch : public IRunObserver {
 public:
  // Once for each device, before its first launch; both outlive the last call.
  virtual void opened(const config::ChipSpec& chip, const MachineMemory& memory) = 0;

  void issue(const EngineOp&) override {}
  void sequencer_wait(std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t) override {}
  void sequencer_post(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t) override {}
  void fence(std::uint32_t) override {}
  void sequencer_access(std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, bool) override {}
};

// The watch of devices that are opened while this object lives; one at a time.
class WatchInstalled {
 public:
  explicit WatchInstalled(IRunWatch* watch);
  ~WatchInstalled();
  WatchInstalled(const WatchInstalled&) = delete;
  WatchInstalled& operator=(const WatchInstalled&) = delete;
  static IRunWatch* get();  // null: none
};

// Tells each of them, in the order in which they were added.
class RunObservers final : public IRunObserver {
 public:
  void add(IRunObserver* observer) {
    if (observer != nullptr) observers_.push_back(observer);
  }
  // What is to be told of a run: null where nobody listens, and without a detour where one does.
  IRunObserver* get() { return observers_.empty() ? nullptr : observers_.size() == 1 ? observers_.front() : this; }

  void begin_launch(const isa::ProgramImage* image) override {
    for (IRunObserver* o : observers_) o->begin_launch(image);
  }
  void issue(const EngineOp& op) override {
    for (IRunObserver* o : observers_) o->issue(op);
  }
  void start(const EngineOp& op, std::int64_t cycle) override {
    for (IRunObserver* o : observers_) o->start(op, cycle);
  }
  void sequencer_wait(std::uint32_t core, std::uint32_t pc, std::uint32_t sem, std::int64_t n) override {
    for (IRunObserver* o : observers_) o->sequencer_wait(core, pc, sem, n);
  }
  void sequencer_post(std::uint32_t core, std::uint32_t pc, std::uint32_t to_core, std::uint32_t sem,
                      std::int64_t n) override {
    for (IRunObserver* o : observers_) o->sequencer_post(core, pc, to_core, sem, n);
  }
  void fence(std::uint32_t core) override {
    for (IRunObserver* o : observers_) o->fence(core);
  }
  void sequencer_access(std::uint32_t core, std::uint32_t pc, std::uint64_t address, std::uint64_t bytes,
                        bool write) override {
    for (IRunObserver* o : observers_) o->sequencer_access(core, pc, address, bytes, write);
  }

 private:
  std::vector<IRunObserver*> observers_;
};

}  // namespace heddle::exec
