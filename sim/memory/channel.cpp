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

Clock Channel::earliest_completion() const {
  Clock at = never;
  const Clock from = std::max(next_, now_ + 1);
  if ((want_read_ & ~blocked_) != 0) at = std::max(from, next_column_) + c_.read_latency;
  if (waiting_reads_ > 0) {
    // Closed or in conflict, or behind a refresh.
    const Clock row = (occupied_ & blocked_) != 0 ? from : std::max(from, std::min(next_activate_, next_precharge_));
    at = std::min(at, row + c_.rcd_rd + c_.read_latency);
  }
  if (reads_.size() > 0) at = std::min(at, from + 1 + c_.read_latency);
  if (backlog_head_ < backlog_.size()) {
    const Clock arrival = std::max(from, pool_[backlog_[backlog_head_]].arrival);
    at = std::min(at, arrival + 1 + (coming_[1] > 0 ? 0 : c_.read_latency));
  }
  return at;
}

void Channel::add_to(MemoryStats& stats, std::int64_t clock_fs) const {
  stats.row_hits += row_hits_;
  stats.row_misses += row_misses_;
  stats.row_conflicts += row_conflicts_;
  stats.refreshes += refreshes_;
  stats.busy += TimeFs(busy_clocks_ * clock_fs);
}

}  // namespace heddle::memory
