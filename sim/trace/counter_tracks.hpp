// SPDX-License-Identifier: Apache-2.0
// Counters of a trace. A value stands from its time until the next one.
// - Rates: bandwidth of the memory and of each link; of each channel of the memory how much of the time its data bus
// was
//   busy, and how many of its bursts found their row open. Means over a piece of time that is at least 1 us, and
//   doubles whenever so many values were written that the file would be about them.
// - Levels: how many instructions of each engine are issued and have not started, bytes in use. One value a piece.
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
  // After open().
  void add_channels(ITraceSink& sink, std::uint32_t chip_process, const memory::IMemoryModel& memory,
                    std::uint32_t& next_number);
  // From 0; returns its place for change().
  std::size_t add_level(ITraceSink& sink, std::uint32_t process, const std::string& name, std::string_view unit,
                        std::uint32_t& next_number);
  void change(std::size_t level, TimeFs time, std::int64_t by) { changes_.push({time, level, by}); }

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
  struct Share {  // in percent
    std::uint32_t number = 0;
    std::string name;
    double shown = 0;
  };
  struct Channel {
    Share busy, hits;
    memory::ChannelStats last;
  };
  struct Level {
    std::uint32_t number;
    std::uint32_t process;
    std::string name;
    std::int64_t value = 0, shown = 0;
    TimeFs written{};
  };
  struct Change {
    TimeFs time;
    std::size_t level;
    std::int64_t by;
    friend bool operator<(const Change& a,
                          const Change& b) {  // for a max-heap: later is smaller; at one time, in first
      return a.time != b.time ? a.time > b.time : a.by < b.by;
    }
  };
  void add_rate(ITraceSink& sink, std::string name, const std::uint64_t* bytes, std::uint32_t& next_number);
  void sample(ITraceSink& sink, TimeFs time);
  void sample_channels(ITraceSink& sink, TimeFs length);
  void show(ITraceSink& sink, Level& level, TimeFs time);
  void show(ITraceSink& sink, Share& share, TimeFs time, double value);

  std::uint32_t process_ = 0;
  TimeFs piece_{1'000'000'000};
  std::uint64_t written_ = 0;
  TimeFs sampled_{};
  std::vector<Rate> rates_;
  const memory::IMemoryModel* memory_ = nullptr;
  std::vector<Channel> channels_;
  std::vector<memory::ChannelStats> now_;  // of the channels
  std::vector<Level> levels_;
  std::priority_queue<Change> changes_;
};

}  // namespace heddle::trace
