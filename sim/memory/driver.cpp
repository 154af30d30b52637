// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/driver.hpp"

#include <algorithm>
#include <ctime>

#include "isa/base/error.hpp"

namespace heddle::memory {
namespace {

constexpr double most_credit = 64;  // offers that found no room and are made again
constexpr int most_injected = 8;    // a clock, where there is one FIFO
constexpr double fs_in_second = 1e15;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Requests in the order they may go in: all in one line, or those of each channel in a line of their own.
class Fifos {
 public:
  Fifos(const std::vector<Access>& list, const BankMemory& memory, bool per_channel) : list_(list) {
    lines_.resize(per_channel ? static_cast<std::size_t>(memory.channels()) : 1);
    heads_.resize(lines_.size());
    if (!per_channel) {
      ends_ = {list.size()};
    } else {
      for (std::size_t i = 0; i < list.size(); ++i)
        lines_[static_cast<std::size_t>(memory.decode(list[i].address).channel)].push_back(
            static_cast<std::uint32_t>(i));
      for (const auto& line : lines_) ends_.push_back(line.size());
    }
    for (std::size_t f = 0; f < lines_.size(); ++f) look(f, memory);
  }
  std::size_t size() const { return lines_.size(); }
  bool empty(std::size_t f) const { return heads_[f].at == ends_[f]; }
  std::size_t front(std::size_t f) const { return heads_[f].request; }
  int channel(std::size_t f) const { return heads_[f].channel; }
  void pop(std::size_t f, const BankMemory& memory) {
    ++heads_[f].at;
    look(f, memory);
  }

 private:
  struct Head {
    std::size_t at = 0, request = 0;
    int channel = 0;
  };
  void look(std::size_t f, const BankMemory& memory) {
    Head& h = heads_[f];
    if (empty(f)) return;
    h.request = lines_[f].empty() ? h.at : lines_[f][h.at];
    h.channel = lines_.size() > 1 ? static_cast<int>(f) : memory.decode(list_[h.request].address).channel;
  }
  const std::vector<Access>& list_;
  std::vector<std::vector<std::uint32_t>> lines_;  // empty where there is one: then the list itself is the line
  std::vector<std::size_t> ends_;
  std::vector<Head> heads_;
};

class Drive {
 public:
  Drive(BankMemory& memory, const std::vector<Access>& list, std::int64_t bytes, const Injection& injection)
      : memory_(memory),
        list_(list),
        bytes_(static_cast<std::uint32_t>(bytes)),
        injection_(injection),
        clock_fs_(memory.setup().clock_fs),
        fifos_(list, memory, injection.per_channel),
        accepted_(list.size()) {}

  DriveResult run() {
    const double begin = cpu_seconds();
    std::int64_t clock = 0;
    while (finished_ < list_.size()) {
      collect(TimeFs(clock * clock_fs_));
      const int injected = inject(clock);
      if (finished_ == list_.size()) break;
      clock = next_clock(clock, injected > 0);
    }
    return result(cpu_seconds() - begin);
  }

 private:
  void collect(TimeFs now) {
    done_.clear();
    memory_.advance(now, done_);
    for (const Completion& c : done_) {
      last_ = std::max(last_, c.time.value());
      latencies_.push_back(c.time.value() - accepted_[c.tag] * clock_fs_);
      if (!list_[c.tag].write) ++reads_, read_latency_ += latencies_.back();
    }
    finished_ += done_.size();
  }

  // The lines are served in turn, another one first each clock.
  int inject(std::int64_t clock) {
    const bool limited = injection_.rate > 0;
    if (limited) credit_ = std::min(credit_ + injection_.rate, most_credit);
    const std::size_t lines = fifos_.size();
    int injected = 0;
    for (bool any = true; any;) {
      any = false;
      for (std::size_t k = 0; k < lines; ++k) {
        const std::size_t f = lines == 1 ? 0 : (static_cast<std::size_t>(clock) + k) % lines;
        if (fifos_.empty(f) || (limited && credit_ < 1)) continue;
        if (injection_.window > 0 && static_cast<std::int64_t>(pushed_ - finished_) >= injection_.window) continue;
        if (!injection_.per_channel && injected >= most_injected) continue;
        const std::size_t i = fifos_.front(f);
        const Access& a = list_[i];
        if (!memory_.has_room(fifos_.channel(f), a.write)) continue;
        memory_.push({i, a.address, bytes_, a.write, TimeFs(clock * clock_fs_)});
        accepted_[i] = clock;
        fifos_.pop(f, memory_);
        ++pushed_;
        ++injected;
        credit_ -= 1;
        any = true;
      }
    }
    return injected;
  }

  // The next clock in which a request can go in or come back. Where the rate is what holds back, that is when enough is
  // offered again; where all found the door closed, when the memory changes.
  std::int64_t next_clock(std::int64_t clock, bool injected) {
    if (injection_.rate > 0 && pushed_ < list_.size() && credit_ < 1) {
      for (++clock; credit_ + injection_.rate < 1; ++clock) credit_ += injection_.rate;
      return clock;
    }
    if (injected && pushed_ < list_.size()) return clock + 1;
    const std::int64_t change = (memory_.next_change().value() + clock_fs_ - 1) / clock_fs_;
    if (injection_.rate > 0)
      for (std::int64_t c = clock + 1; c < change && credit_ < most_credit; ++c)
        credit_ = std::min(credit_ + injection_.rate, most_credit);
    return std::max(clock + 1, change);
  }

  DriveResult result(double host_seconds) {
    DriveResult r;
    r.clocks = (last_ + clock_fs_ - 1) / clock_fs_;
    r.nanoseconds = static_cast<double>(last_) * 1e-6;
    r.bytes_per_second =
        static_cast<double>(bytes_) * static_cast<double>(list_.size()) / (static_cast<double>(last_) / fs_in_second);
    r.peak_share = r.bytes_per_second / static_cast<double>(memory_.peak_bytes_per_second());
    r.stats = memory_.stats();
    r.host_seconds = host_seconds;
    r.reads = reads_;
    if (reads_ > 0) r.read_latency_average_ns = static_cast<double>(read_latency_) / static_cast<double>(reads_) * 1e-6;
    double sum = 0;
    for (const std::int64_t l : latencies_) sum += static_cast<double>(l);
    const auto percentile = [&](std::size_t of_100) {
      const auto place = latencies_.begin() + static_cast<std::ptrdiff_t>(latencies_.size() * of_100 / 100);
      std::nth_element(latencies_.begin(), place, latencies_.end());
      return static_cast<double>(*place) * 1e-6;
    };
    r.latency_average_ns = sum / static_cast<double>(latencies_.size()) * 1e-6;
    r.latency_median_ns = percentile(50);
    r.latency_p99_ns = percentile(99);
    r.latency_least_ns = percentile(0);
    return r;
  }

  BankMemory& memory_;
  const std::vector<Access>& list_;
  std::uint32_t bytes_;
  Injection injection_;
  std::int64_t clock_fs_;
  Fifos fifos_;
  std::vector<std::int64_t> accepted_;   // by request: the clock it went in
  std::vector<std::int64_t> latencies_;  // in femtoseconds, by completion
  std::int64_t reads_ = 0, read_latency_ = 0;
  std::vector<Completion> done_;
  std::size_t pushed_ = 0, finished_ = 0;
  std::int64_t last_ = 0;
  double credit_ = 0;
};

}  // namespace

DriveResult drive(const config::MemorySpec& spec, const DramSetup& setup, const std::vector<Access>& requests,
                  std::int64_t bytes, const Injection& injection) {
  const auto need = [](bool ok, const char* what, const auto& found, const char* expected) {
    if (!ok) fail(ErrorKind::bad_input, "HDL-MEM-07", "memory traffic: {} is {}, expected {}", what, found, expected);
  };
  need(!requests.empty(), "number of requests", requests.size(), "at least 1");
  need(injection.window >= 0, "window", injection.window, "0 (no bound) or more");
  need(injection.rate == 0 || (injection.rate >= 1e-6 && injection.rate <= 64), "rate", injection.rate,
       "0 (as fast as accepted), or 0.000001 to 64 requests a clock");
  BankMemory memory(spec, setup);
  return Drive(memory, requests, bytes, injection).run();
}

DriveResult drive(const config::MemorySpec& spec, const DramSetup& setup, const Stream& stream,
                  const Injection& injection) {
  const AddressMap map(spec.mapping, spec.interleave_bytes, setup, spec.hash, spec.hash_turned);
  return drive(spec, setup, accesses(stream, setup, map), stream.bytes, injection);
}

DriveResult drive(const config::MemorySpec& spec, const Stream& stream, const Injection& injection) {
  return drive(spec, make_dram_setup(spec), stream, injection);
}

}  // namespace heddle::memory
