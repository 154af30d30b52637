// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/channel.hpp"

#include <algorithm>

namespace heddle::memory {

Channel::Channel(const DramSetup& setup, const Constraints& constraints, int index)
    : setup_(setup),
      c_(constraints),
      timing_(constraints, setup.dram.organization),
      index_(static_cast<std::int16_t>(index)),
      two_buses_(setup.dram.organization.row_and_column_command),
      closed_page_(setup.closed_page),
      bank_queue_(static_cast<int>(setup.dram.controller.bank_queue)),
      row_hit_limit_(static_cast<int>(setup.dram.controller.row_hit_limit)),
      write_low_mark_(static_cast<std::size_t>(setup.dram.controller.write_low_mark)),
      reads_(setup.queue_depth),
      writes_(setup.queue_depth) {
  turn_ = timing_.banks() - 1;
  const std::int64_t targets = setup.refresh == Refresh::per_bank ? timing_.banks() : setup.dram.organization.ranks;
  if (setup.refresh != Refresh::none) refresh_due_ = refresh_interval_ = setup.dram.timing.refi / targets;
}

// One that arrives before some that were pushed before it.
void Channel::insert(std::uint32_t segment) {
  std::size_t i = backlog_.size();
  backlog_.push_back(segment);
  for (; i > backlog_head_ && pool_[backlog_[i - 1]].arrival > pool_[segment].arrival; --i)
    backlog_[i] = backlog_[i - 1];
  backlog_[i] = segment;
}

bool Channel::accepts(bool write) const { return coming_[write ? 1 : 0] < (write ? writes_ : reads_).room(); }

// For each bank with reads: its next command, and from there on a read of the open row or an activate and a read. What
// cannot come first by the bounds at hand is not looked at.
Clock Channel::earliest_completion() const {
  const Clock from = std::max(next_, now_ + 1);
  const Clock hit = c_.read_latency, miss = c_.rcd_rd + c_.read_latency;
  Clock at = never;
  if (backlog_head_ < backlog_.size()) at = std::max(from, pool_[backlog_[backlog_head_]].arrival) + 1;
  if (reads_.size() > 0) at = std::min(at, from + 1 + hit);
  const std::uint64_t banks = with_reads_ & ~blocked_, hits = banks & want_read_;
  if (banks != with_reads_) at = std::min(at, from + miss);
  const auto consider = [&](std::uint64_t want, Clock bound, Clock rest, auto scan) {
    if (want == 0 || std::max(from, bound) + rest >= at) return;
    const ChannelTiming::Ripe r = scan(want);
    at = std::min(at, (r.now != 0 ? from : r.next) + rest);
  };
  const auto activates = [&](std::uint64_t want) { return timing_.activates(want, from); };
  const auto precharges = [&](std::uint64_t want) { return timing_.precharges(want, from); };
  const auto reads = [&](std::uint64_t want) { return timing_.reads(want, from); };
  const auto writes = [&](std::uint64_t want) { return timing_.writes(want, from); };
  consider(hits, next_column_, hit, reads);
  consider(hits & want_write_, next_column_, hit, writes);
  consider(hits & want_precharge_, next_precharge_, hit, precharges);
  consider(banks & want_activate_, next_activate_, miss, activates);
  consider(banks & ~hits & want_precharge_, next_precharge_, miss, precharges);
  consider(banks & ~hits & want_write_, next_column_, miss, writes);
  return at;
}

ChannelStats Channel::stats(std::int64_t clock_fs) const {
  return {row_hits_, row_misses_, row_conflicts_, refreshes_, TimeFs(busy_clocks_ * clock_fs)};
}

}  // namespace heddle::memory
