// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/counter_tracks.hpp"

namespace heddle::trace {
namespace {

constexpr std::uint64_t values_a_piece = std::uint64_t{1} << 18;  // then the piece doubles

}  // namespace

void CounterTracks::add_rate(ITraceSink& sink, std::string name, const std::uint64_t* bytes,
                             std::uint32_t& next_number) {
  sink.counter(next_number, process_, name, "GB/s");
  rates_.push_back({next_number++, std::move(name), bytes});
}

void CounterTracks::open(ITraceSink& sink, std::uint32_t chip_process, const std::vector<noc::LinkStats>& links,
                         const memory::MemoryStats& memory, std::uint32_t& next_number) {
  process_ = chip_process;
  rates_.clear();
  queues_.clear();
  changes_ = {};
  add_rate(sink, "HBM read", &memory.bytes_read, next_number);
  add_rate(sink, "HBM written", &memory.bytes_written, next_number);
  for (const noc::LinkStats& link : links) add_rate(sink, "link " + link.name, &link.bytes, next_number);
}

std::size_t CounterTracks::add_queue(ITraceSink& sink, std::uint32_t process, const std::string& engine,
                                     std::uint32_t& next_number) {
  const std::string name = engine + " queue";
  sink.counter(next_number, process, name, "instructions");
  queues_.push_back({next_number++, process, name});
  return queues_.size() - 1;
}

void CounterTracks::show(ITraceSink& sink, Queue& q, TimeFs time) {
  q.shown = q.depth;
  q.written = time;
  ++written_;
  sink.value(q.number, q.process, q.name, time, q.depth);
}

void CounterTracks::sample(ITraceSink& sink, TimeFs time) {
  const double seconds = static_cast<double>((time - sampled_).value()) * 1e-15;
  for (Rate& r : rates_) {
    const double rate = static_cast<double>(*r.bytes - r.last) / seconds / 1e9;
    r.last = *r.bytes;
    if (rate == r.shown) continue;
    r.shown = rate;
    ++written_;
    sink.value(r.number, process_, r.name, sampled_, rate);
  }
  sampled_ = time;
  if (written_ < values_a_piece) return;
  written_ = 0;
  piece_ = piece_ * 2;
}

void CounterTracks::now(ITraceSink& sink, TimeFs time) {
  while (!changes_.empty() && changes_.top().time <= time) {
    const Change c = changes_.top();
    changes_.pop();
    Queue& q = queues_[c.queue];
    q.depth += c.by;
    if (q.depth != q.shown && c.time >= q.written + piece_) show(sink, q, c.time);
  }
  if (time >= sampled_ + piece_) sample(sink, time);
}

void CounterTracks::flush(ITraceSink& sink, TimeFs time) {
  now(sink, time);
  if (time > sampled_) sample(sink, time);
  for (Queue& q : queues_)
    if (q.shown != q.depth) show(sink, q, time);
  for (Rate& r : rates_) {
    if (r.shown == 0) continue;
    r.shown = 0;
    sink.value(r.number, process_, r.name, time, 0);
  }
}

}  // namespace heddle::trace
