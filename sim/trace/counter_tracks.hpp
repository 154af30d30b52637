// SPDX-License-Identifier: Apache-2.0
// Counters of a trace: bandwidth of the memory and of each link, and how many instructions of each engine are issued
// and have not started. A value stands from its
// time until the next one. Bandwidths are means over a piece of time that is at least 1 us, and doubles whenever so
// many values were written that the file would be about them.
#pragma once
#include <queue>
#include <string>
#include <vector>

#include "sim/trace/observer.hpp"
#include "sim/trace/trace_sink.hpp"

namespace heddle::trace {

class CounterTracks {
 public:
  // Takes counter numbers from `next_number` on and moves it.
  void open(ITraceSink& sink, std::uint32_t chip_process, const std::vector<noc::LinkStats>& links,
            const memory::MemoryStats& memory, std::uint32_t& next_number);
  // The queue of an engine; returns its place for change().
  std::size_t add_queue(ITraceSink& sink, std::uint32_t process, const std::string& engine, std::uint32_t& next_number);
  void change(std::size_t queue, TimeFs time, int by) { changes_.push({time, queue, by}); }

  void now(ITraceSink& sink, TimeFs time);
  void flush(ITraceSink& sink, TimeFs time);  // all there is

 private:
  struct Rate {
    std::uint32_t number;
    std::string name;
    const std::uint64_t* bytes;
    std::uint64_t last = 0;
    double shown = 0;
  };
  struct Queue {
    std::uint32_t number;
    std::uint32_t process;
    std::string name;
    int depth = 0, shown = 0;
    TimeFs written{};
  };
  struct Change {
    TimeFs time;
    std::size_t queue;
    int by;
    friend bool operator<(const Change& a,
                          const Change& b) {  // for a max-heap: later is smaller; at one time, in first
      return a.time != b.time ? a.time > b.time : a.by < b.by;
    }
  };
  void add_rate(ITraceSink& sink, std::string name, const std::uint64_t* bytes, std::uint32_t& next_number);
  void sample(ITraceSink& sink, TimeFs time);
  void show(ITraceSink& sink, Queue& queue, TimeFs time);

  std::uint32_t process_ = 0;
  TimeFs piece_{1'000'000'000};
  std::uint64_t written_ = 0;
  TimeFs sampled_{};
  std::vector<Rate> rates_;
  std::vector<Queue> queues_;
  std::priority_queue<Change> changes_;
};

}  // namespace heddle::trace
