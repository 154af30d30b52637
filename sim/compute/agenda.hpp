// SPDX-License-Identifier: Apache-2.0
// What a core will do next: wake-ups of its agents and posts that fall due, in time order, behind one SystemC event.
//
// Agents compute ahead in local time as far as what they know is final, so most of what happens in a core needs no
// event at all: one agent's result marks the next agent, and settle() runs the marked ones, lowest number first, until
// none is marked. Everything an agent learns at simulated time t lies at t or later.
#pragma once
#include <cstdint>
#include <systemc>
#include <vector>

#include "isa/base/strong.hpp"
#include "sim/compute/failure.hpp"
#include "sim/compute/i_agent.hpp"
#include "sim/trace/observer.hpp"

namespace heddle::compute {

inline TimeFs simulated_now() { return TimeFs(static_cast<std::int64_t>(sc_core::sc_time_stamp().value())); }
inline sc_core::sc_time to_sc_time(TimeFs t) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.value()));
}

// The instruction that posts, for errors and observers.
using PostOrigin = trace::Poster;

// Whom a due post reaches.
class IPostSink {
 public:
  virtual ~IPostSink() = default;
  virtual void deliver(std::uint8_t sem, std::int64_t n, TimeFs time, PostOrigin origin) = 0;
};

class Agenda : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Agenda);
  Agenda(sc_core::sc_module_name name, Failure& failure);

  void add(AgentId id, IAgent* agent);
  void set_sink(IPostSink* sink) { sink_ = sink; }

  void mark(AgentId id) { marked_ |= std::uint64_t{1} << id; }
  // Runs agents until none is marked. Nested calls return at once: the outermost one does the work.
  void settle();

  // Marks the agent at `time`; at once when that is not in the future (the caller settles).
  void wake_at(AgentId id, TimeFs time);
  // Hands the post to the sink at `time`.
  void post_at(TimeFs time, std::uint8_t sem, std::int64_t n, PostOrigin origin);

  TimeFs now() const { return simulated_now(); }
  std::uint64_t activations() const { return activations_; }
  void clear();  // after a failed launch

 private:
  struct Entry {
    TimeFs time;
    std::uint64_t order;  // of two entries at one time, the one made first comes first
    std::int64_t n;       // 0: a wake-up of agent `index`; else counts for semaphore `index`
    std::uint8_t index;
    PostOrigin origin{};
    friend bool operator<(const Entry& a, const Entry& b) {  // for a max-heap: later is smaller
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };
  void push(Entry entry);
  void due();

  Failure& failure_;
  IPostSink* sink_ = nullptr;
  std::vector<IAgent*> agents_;
  std::uint64_t marked_ = 0;
  bool settling_ = false;
  std::vector<Entry> heap_;
  std::uint64_t order_ = 0;
  std::uint64_t activations_ = 0;
  sc_core::sc_event event_;
};

}  // namespace heddle::compute
