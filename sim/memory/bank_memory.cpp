// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/bank_memory.hpp"

#include <algorithm>
#include <limits>

#include "isa/base/error.hpp"
#include "sim/memory/registry.hpp"

namespace heddle::memory {

namespace {

constexpr Clock unknown = -1;
constexpr TimeFs forever(std::numeric_limits<std::int64_t>::max());

}  // namespace

BankMemory::BankMemory(const config::MemorySpec& spec) : BankMemory(spec, make_dram_setup(spec)) {}

BankMemory::BankMemory(const config::MemorySpec& spec, const DramSetup& setup)
    : setup_(setup), map_(spec.mapping, spec.interleave_bytes, setup, spec.hash) {
  const Constraints constraints(setup_.dram);
  for (int i = 0; i < setup_.channels; ++i) channels_.push_back(std::make_unique<Channel>(setup_, constraints, i));
  next_.assign(channels_.size(), never);
  bound_.assign(channels_.size(), unknown);
}

void BankMemory::push(const Request& r) {
  if (r.bytes == 0) fail(ErrorKind::internal, "HDL-MEM-04", "a memory request of 0 bytes at {:#x}", r.address);
  if (r.address + r.bytes - 1 < r.address)
    fail(ErrorKind::internal, "HDL-MEM-05", "a memory request of {} bytes at {:#x} passes the end of the address space",
         r.bytes, r.address);
  if (r.arrival.value() != last_arrival_fs_) {
    last_arrival_fs_ = r.arrival.value();
    last_arrival_clock_ = (last_arrival_fs_ + setup_.path_fs) / setup_.clock_fs + 1;
  }
  const Clock arrival = std::max(last_arrival_clock_, decided_ + 1);
  std::uint32_t slot;
  if (free_requests_.empty()) {
    slot = static_cast<std::uint32_t>(requests_.size());
    requests_.emplace_back();
  } else {
    slot = free_requests_.back();
    free_requests_.pop_back();
  }
  Pending& pending = requests_[slot];
  pending = {r.tag, order_++, 0, 0};
  ++outstanding_;
  (r.write ? stats_.bytes_written : stats_.bytes_read) += r.bytes;

  std::uint64_t burst = r.address >> map_.burst_shift();
  const std::uint64_t end = ((r.address + r.bytes - 1) >> map_.burst_shift()) + 1;
  if (end - burst <= map_.contiguous(burst)) {
    if (map_.run_of(burst) != last_run_) {
      last_run_ = map_.run_of(burst);
      last_place_ = map_.decode(burst);
    }
    const DramAddress& a = last_place_;
    pending.segments = 1;
    push_segment(a.channel, {arrival, slot, a.row, static_cast<std::uint16_t>(end - burst),
                             static_cast<std::uint8_t>(a.bank), r.write});
    return;
  }
  // Pieces of the packet that lie in one row; where the mapping deals consecutive bursts out to several banks, the
  // bursts of each come together again.
  constexpr std::size_t most_open = 16;
  struct Open {
    int channel;
    Segment segment;
  };
  std::array<Open, most_open> open;
  std::size_t opened = 0;
  const auto flush = [&] {
    for (std::size_t i = 0; i < opened; ++i) push_segment(open[i].channel, open[i].segment);
    pending.segments += static_cast<std::uint32_t>(opened);
    opened = 0;
  };
  while (burst < end) {
    const std::uint64_t n = std::min(end - burst, map_.contiguous(burst));
    const DramAddress a = map_.decode(burst);
    burst += n;
    std::size_t i = 0;
    while (i < opened &&
           !(open[i].channel == a.channel && open[i].segment.bank == a.bank && open[i].segment.row == a.row))
      ++i;
    if (i < opened) {
      open[i].segment.bursts = static_cast<std::uint16_t>(open[i].segment.bursts + n);
      continue;
    }
    if (opened == most_open) flush();
    open[opened++] = {
        a.channel, {arrival, slot, a.row, static_cast<std::uint16_t>(n), static_cast<std::uint8_t>(a.bank), r.write}};
  }
  flush();
}

void BankMemory::push_segment(int channel, const Segment& segment) {
  const auto i = static_cast<std::size_t>(channel);
  channels_[i]->push(segment);
  next_[i] = channels_[i]->next_event();
  bound_[i] = unknown;
}

void BankMemory::advance(TimeFs until, std::vector<Completion>& out) {
  // What arrives after `until` is at the controller a path later.
  const std::int64_t seen =
      until.value() > forever.value() - setup_.path_fs ? forever.value() : until.value() + setup_.path_fs;
  const Clock clock = std::min(seen / setup_.clock_fs, never - 1);
  decided_ = std::max(decided_, clock);
  for (std::size_t i = 0; i < next_.size(); ++i) {
    if (next_[i] > clock) continue;
    channels_[i]->run(clock, done_);
    next_[i] = channels_[i]->next_event();
    bound_[i] = unknown;
  }
  settle();
  if (earliest_finished_ > until) return;
  const auto later =
      std::partition(finished_.begin(), finished_.end(), [&](const Finished& f) { return f.time <= until; });
  std::sort(finished_.begin(), later);
  for (auto f = finished_.begin(); f != later; ++f) out.push_back({f->tag, f->time});
  outstanding_ -= static_cast<std::uint64_t>(later - finished_.begin());
  finished_.erase(finished_.begin(), later);
  earliest_finished_ = forever;
  for (const Finished& f : finished_) earliest_finished_ = std::min(earliest_finished_, f.time);
}

// Segments that finished, added up to requests.
void BankMemory::settle() {
  for (const Done& d : done_) {
    Pending& p = requests_[d.request];
    p.last = std::max(p.last, d.at);
    if (--p.segments > 0) continue;
    const TimeFs time(p.last * setup_.clock_fs + setup_.path_fs);
    finished_.push_back({time, p.order, p.tag});
    earliest_finished_ = std::min(earliest_finished_, time);
    free_requests_.push_back(d.request);
  }
  done_.clear();
}

TimeFs BankMemory::next_decision() const {
  if (outstanding_ == 0) return forever;
  Clock soonest = never;
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    if (bound_[i] == unknown) bound_[i] = channels_[i]->earliest_completion();
    soonest = std::min(soonest, bound_[i]);
  }
  if (soonest >= never) return earliest_finished_;
  return std::min(earliest_finished_, TimeFs(soonest * setup_.clock_fs + setup_.path_fs));
}

const MemoryStats& BankMemory::stats() const {
  const MemoryStats bytes = stats_;
  stats_ = MemoryStats{};
  stats_.bytes_read = bytes.bytes_read;
  stats_.bytes_written = bytes.bytes_written;
  for (const auto& channel : channels_) channel->add_to(stats_, setup_.clock_fs);
  return stats_;
}

TimeFs BankMemory::next_change() const {
  Clock soonest = never;
  for (const Clock next : next_) soonest = std::min(soonest, next);
  if (soonest >= never) return earliest_finished_;
  return std::min(earliest_finished_, TimeFs(std::max<std::int64_t>(soonest * setup_.clock_fs - setup_.path_fs, 0)));
}

void BankMemory::watch(std::vector<Command>* trace) {
  for (const auto& channel : channels_) channel->watch(trace);
}

namespace {

const Registration bank_registration{"bank", [](const config::MemorySpec& spec) {
                                       return std::unique_ptr<IMemoryModel>(std::make_unique<BankMemory>(spec));
                                     }};

}  // namespace
}  // namespace heddle::memory
