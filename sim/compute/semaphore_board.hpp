// SPDX-License-Identifier: Apache-2.0
// The semaphores of one core, in time.
//
// A post carries the time at which it takes effect. A semaphore that, by the program's text, only one agent posts and
// only one agent waits on is *private*: its posts come in time order and nobody else can take them, so a post may be
// entered as soon as its time is known, even in the future, and its waiter may compute ahead with it. Posts of any
// other semaphore are entered when their time has come, and counts of one with several waiters are taken at the present
// only, so that whoever is first in simulated time gets them (at one instant: the lower agent number).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/base/strong.hpp"
#include "sim/compute/agenda.hpp"
#include "sim/control/program.hpp"
#include "sim/control/semaphores.hpp"
#include "sim/exec/engine_op.hpp"

namespace heddle::compute {

// Agent numbers of a core's engines.
struct AgentMap {
  std::uint32_t mxus = 0, vpus = 0, dmas = 0;
  AgentId of(isa::Unit unit, std::uint32_t engine) const;
  std::uint32_t count() const { return 1 + mxus + vpus + dmas; }
};

class SemaphoreBoard {
 public:
  SemaphoreBoard(std::int64_t count, Agenda& agenda, AgentMap agents);
  // Of core `core`; null for none.
  void set_observer(trace::IObserver* observer, std::uint32_t core) {
    observer_ = observer;
    core_ = core;
  }

  // Learns from the program who posts and who waits on what.
  void begin_launch(const control::Program& program);

  // Adds n to `sem` at `time` (now or later), marking agents that wait for it. from: who posts; remote posts and the
  // host come as `other`. Throws HDL-SEM-03 above 2^31 - 1, without a place.
  static constexpr AgentId other = 0xff;
  void post(AgentId from, std::uint8_t sem, std::int64_t n, TimeFs time, PostOrigin origin);
  // One that has come due.
  void deliver(std::uint8_t sem, std::int64_t n, TimeFs time, PostOrigin origin) {
    enter(sems_[sem], sem, n, time, origin);
  }

  // Takes all counts of `wait` for an agent that could use them from `earliest` on: returns when they were there (or
  // `earliest`), or nothing, and then marks the agent when it is worth asking again.
  std::optional<TimeFs> take(AgentId by, const std::array<exec::SemCount, 2>& wait, TimeFs earliest);
  std::optional<TimeFs> take(AgentId by, std::uint8_t sem, std::int64_t n, TimeFs earliest);

  std::int64_t value(std::uint32_t sem) const { return sems_[sem].total; }
  control::Semaphores snapshot() const;
  void reset();

 private:
  struct Entry {
    TimeFs time;
    std::int64_t n;
  };
  struct Sem {
    std::vector<Entry> entries;  // a queue: [first, size) are live, in time order
    std::size_t first = 0;
    std::int64_t total = 0;
    std::uint64_t waiting = 0;  // agents to mark at the next entry
    bool immediate = false;     // private: posts are entered as soon as known
    bool shared = false;        // several waiters: taken at the present only
  };
  void enter(Sem& s, std::uint32_t index, std::int64_t n, TimeFs time, const PostOrigin& origin);
  void tell_taken(AgentId by, std::uint8_t sem, std::int64_t n) const {
    if (observer_ != nullptr) observer_->taken({core_, by}, sem, n);
  }
  static TimeFs time_of(const Sem& s, std::int64_t n);
  static void remove(Sem& s, std::int64_t n);

  std::vector<Sem> sems_;
  Agenda& agenda_;
  AgentMap agents_;
  trace::IObserver* observer_ = nullptr;
  std::uint32_t core_ = 0;
};

}  // namespace heddle::compute
