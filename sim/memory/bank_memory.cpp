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
    : setup_(setup), map_(spec.mapping, spec.interleave_bytes, setup, spec.hash, spec.hash_turned) {
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
  pending.tag = r.tag;
  pending.order = order_++;
  pending.last = 0;
  pending.segments = 0;
  pending.write = r.write;
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
    push_segment(arrival, slot, a, end - burst, r.write);
    return;
  }
  // Pieces of the packet that lie in one row; where the mapping deals consecutive bursts out to several banks, the
  // bursts of each come together again.
  constexpr std::size_t most_open = 16;
  struct Open {
    DramAddress place;
    std::uint64_t bursts;
  };
  std::array<Open, most_open> open;
  std::size_t opened = 0;
  const auto flush = [&] {
    for (std::size_t i = 0; i < opened; ++i) push_segment(arrival, slot, open[i].place, open[i].bursts, r.write);
    pending.segments += static_cast<std::uint32_t>(opened);
    opened = 0;
  };
  while (burst < end) {
    const std::uint64_t n = std::min(end - burst, map_.contiguous(burst));
    const DramAddress a = map_.decode(burst);
    burst += n;
    std::size_t i = 0;
    while (i < opened && !(open[i].place == a)) ++i;
    if (i < opened) {
      open[i].bursts += n;
      continue;
    }
    if (opened == most_open) flush();
    open[opened++] = {a, n};
  }
  flush();
}

void BankMemory::push_segment(Clock arrival, std::uint32_t request, const DramAddress& place, std::uint64_t bursts,
                              bool write) {
  const auto i = static_cast<std::size_t>(place.channel);
  channels_[i]->push(arrival, request, place.row, bursts, place.bank, write);
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
  if (!done_.empty()) settle();
  if (until.value() < setup_.path_fs) return;
  const Clock handed = (until.value() - setup_.path_fs) / setup_.clock_fs;
  while (std::min(reads_.first(), writes_.first()) <= handed) {
    Line& line = writes_.empty() || (!reads_.empty() && reads_.front() < writes_.front()) ? reads_ : writes_;
    out.push_back({line.front().tag, time_of(line.front().at)});
    line.pop();
    --outstanding_;
  }
}

void BankMemory::Line::grow() {
  std::vector<Finished> larger(ring_.size() * 2);
  for (std::size_t i = head_; i != tail_; ++i) larger[i - head_] = ring_[i & mask_];
  tail_ -= head_;
  head_ = 0;
  ring_.swap(larger);
  mask_ = ring_.size() - 1;
}

void BankMemory::Line::add_all(std::vector<Finished>& list) {
  for (; !empty(); pop()) list.push_back(front());
  std::sort(list.begin(), list.end());
  for (const Finished& f : list) add(f.at, f.order, f.tag);
}

// Segments that finished, added up to requests.
void BankMemory::settle() {
  constexpr std::size_t many = 64;  // a long step: each channel's in turn, so sorting is cheaper
  const bool sort = done_.size() > many;
  std::vector<Finished> lists[2];
  for (const Done& d : done_) {
    Pending& p = requests_[d.request];
    p.last = std::max(p.last, d.at);
    if (--p.segments > 0) continue;
    if (sort)
      lists[p.write ? 1 : 0].push_back({p.last, p.order, p.tag});
    else
      (p.write ? writes_ : reads_).add(p.last, p.order, p.tag);
    free_requests_.push_back(d.request);
  }
  done_.clear();
  if (!sort) return;
  reads_.add_all(lists[0]);
  writes_.add_all(lists[1]);
}

TimeFs BankMemory::next_decision() const {
  if (outstanding_ == 0) return forever;
  Clock soonest = never;
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    if (bound_[i] == unknown) bound_[i] = channels_[i]->earliest_completion();
    soonest = std::min(soonest, bound_[i]);
  }
  soonest = std::min({soonest, reads_.first(), writes_.first()});
  return soonest >= never ? forever : time_of(soonest);
}

void BankMemory::channel_stats(std::vector<ChannelStats>& out) const {
  out.clear();
  for (const auto& channel : channels_) out.push_back(channel->stats(setup_.clock_fs));
}

const MemoryStats& BankMemory::stats() const {
  const MemoryStats bytes = stats_;
  stats_ = MemoryStats{};
  stats_.bytes_read = bytes.bytes_read;
  stats_.bytes_written = bytes.bytes_written;
  for (const auto& channel : channels_) {
    const ChannelStats c = channel->stats(setup_.clock_fs);
    stats_.row_hits += c.row_hits;
    stats_.row_misses += c.row_misses;
    stats_.row_conflicts += c.row_conflicts;
    stats_.refreshes += c.refreshes;
    stats_.busy += c.busy;
  }
  return stats_;
}

TimeFs BankMemory::next_change() const {
  Clock soonest = never;
  for (const Clock next : next_) soonest = std::min(soonest, next);
  const Clock finished = std::min(reads_.first(), writes_.first());
  TimeFs at = finished >= never ? forever : time_of(finished);
  if (soonest < never) at = std::min(at, TimeFs(std::max<std::int64_t>(soonest * setup_.clock_fs - setup_.path_fs, 0)));
  return at;
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
