// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/counter_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  channels_.clear();
  levels_.clear();
  changes_ = {};
  add_rate(sink, "HBM read", &memory.bytes_read, next_number);
  add_rate(sink, "HBM written", &memory.bytes_written, next_number);
  for (const noc::LinkStats& link : links) add_rate(sink, "link " + link.name, &link.bytes, next_number);
}

void CounterTracks::add_channels(ITraceSink& sink, std::uint32_t chip_process, const memory::IMemoryModel& memory,
                                 std::uint32_t& next_number) {
  memory_ = &memory;
  memory.channel_stats(now_);
  const auto share = [&](std::string name) {
    sink.counter(next_number, chip_process, name, "%");
    return Share{next_number++, std::move(name)};
  };
  for (std::size_t i = 0; i < now_.size(); ++i)
    channels_.push_back(
        {share(fmt::format("HBM channel {} busy", i)), share(fmt::format("HBM channel {} row hits", i)), now_[i]});
}

std::size_t CounterTracks::add_level(ITraceSink& sink, std::uint32_t process, const std::string& name,
                                     std::string_view unit, std::uint32_t& next_number) {
  sink.counter(next_number, process, name, unit);
  levels_.push_back({next_number++, process, name});
  return levels_.size() - 1;
}

void CounterTracks::show(ITraceSink& sink, Level& level, TimeFs time) {
  level.shown = level.value;
  level.written = time;
  ++written_;
  sink.value(level.number, level.process, level.name, time, static_cast<double>(level.value));
}

void CounterTracks::show(ITraceSink& sink, Share& share, TimeFs time, double value) {
  if (value == share.shown) return;
  share.shown = value;
  ++written_;
  sink.value(share.number, process_, share.name, time, value);
}

// What a channel did is known when its scheduling is decided, which may be a little later or earlier than the piece in
// which it was; more than the piece has room for is left to the next one.
void CounterTracks::sample_channels(ITraceSink& sink, TimeFs length) {
  if (channels_.empty()) return;
  memory_->channel_stats(now_);
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    Channel& c = channels_[i];
    const TimeFs busy = std::min(now_[i].busy - c.last.busy, length);
    const std::uint64_t hits = now_[i].row_hits - c.last.row_hits;
    const std::uint64_t bursts =
        hits + now_[i].row_misses - c.last.row_misses + now_[i].row_conflicts - c.last.row_conflicts;
    show(sink, c.busy, sampled_, 100 * static_cast<double>(busy.value()) / static_cast<double>(length.value()));
    show(sink, c.hits, sampled_, bursts > 0 ? 100 * static_cast<double>(hits) / static_cast<double>(bursts) : 0);
    const TimeFs before = c.last.busy;
    c.last = now_[i];
    c.last.busy = before + busy;
  }
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
  sample_channels(sink, time - sampled_);
  for (Level& level : levels_)
    if (level.value != level.shown) show(sink, level, time);
  sampled_ = time;
  if (written_ < values_a_piece) return;
  written_ = 0;
  piece_ = piece_ * 2;
}

void CounterTracks::now(ITraceSink& sink, TimeFs time) {
  while (!changes_.empty() && changes_.top().time <= time) {
    const Change c = changes_.top();
    changes_.pop();
    Level& level = levels_[c.level];
    level.value += c.by;
    if (level.value != level.shown && c.time >= level.written + piece_) show(sink, level, c.time);
  }
  if (time >= sampled_ + piece_) sample(sink, time);
}

void CounterTracks::flush(ITraceSink& sink, TimeFs time) {
  now(sink, time);
  if (time > sampled_) sample(sink, time);
  for (Level& level : levels_)
    if (level.value != level.shown) show(sink, level, time);
  for (Channel& c : channels_) {
    show(sink, c.busy, time, 0);
    show(sink, c.hits, time, 0);
  }
  for (Rate& r : rates_) {
    if (r.shown == 0) continue;
    r.shown = 0;
    sink.value(r.number, process_, r.name, time, 0);
  }
}

}  // namespace heddle::trace
