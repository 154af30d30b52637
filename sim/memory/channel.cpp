// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/channel.hpp"

#include <algorithm>
#include <bit>

namespace heddle::memory {

Channel::Channel(const DramSetup& setup, const Constraints& constraints, int index)
    : setup_(setup),
      c_(constraints),
      timing_(constraints, setup.dram.organization),
      index_(static_cast<std::int16_t>(index)),
      two_buses_(setup.dram.organization.row_and_column_command),
      reads_(setup.queue_depth),
      writes_(setup.queue_depth) {
  turn_ = timing_.banks() - 1;
  const std::int64_t targets = setup.refresh == Refresh::per_bank ? timing_.banks() : setup.dram.organization.ranks;
  if (setup.refresh != Refresh::none) refresh_due_ = refresh_interval_ = setup.dram.timing.refi / targets;
}

void Channel::push(const Segment& segment) {
  Segment s = segment;
  s.arrival = std::max(s.arrival, now_ + 1);
  ++coming_[s.write ? 1 : 0];
  backlog_.push_back(s);
  for (std::size_t i = backlog_.size() - 1; i > backlog_head_ && backlog_[i - 1].arrival > s.arrival; --i)
    std::swap(backlog_[i - 1], backlog_[i]);
  if (!(s.write ? writes_ : reads_).full()) next_ = std::min(next_, s.arrival);
}

void Channel::run(Clock until, std::vector<Done>& done) {
  while (next_ <= until) {
    catch_up_refresh(next_);
    step(next_, done);
  }
}

void Channel::step(Clock now, std::vector<Done>& done) {
  now_ = now;
  if (backlog_head_ < backlog_.size()) admit(now, done);
  const bool owed = refreshing();
  if (refresh_due_ <= now || owed) refresh_clock(now);
  if (refreshing() && !owed) refresh_at_ = refresh_action_at(now);
  unsigned used = no_bus;
  if (refreshing() && refresh_at_ <= now) {
    refresh_action(now);
    used = row_bus;
  } else {
    used = issue_one(now, any_bus, done);
  }
  if (two_buses_ && used != no_bus) issue_one(now, any_bus & ~used, done);
  schedule();
  plan(now);
}

void Channel::admit(Clock now, std::vector<Done>& done) {
  while (backlog_head_ < backlog_.size()) {
    const Segment& s = backlog_[backlog_head_];
    SegmentQueue& q = s.write ? writes_ : reads_;
    if (s.arrival > now || q.full()) break;
    q.push(s);
    if (s.write) done.push_back({s.request, now + 1});
    --coming_[s.write ? 1 : 0];
    ++backlog_head_;
  }
  if (backlog_head_ == backlog_.size()) {
    backlog_.clear();
    backlog_head_ = 0;
  } else if (backlog_head_ >= 1024 && backlog_head_ * 2 >= backlog_.size()) {
    backlog_.erase(backlog_.begin(), backlog_.begin() + static_cast<std::ptrdiff_t>(backlog_head_));
    backlog_head_ = 0;
  }
}

bool Channel::draining() const {
  return to_drain_ > 0 || writes_.full() ||
         (waiting_ == 0 && static_cast<std::int64_t>(writes_.size()) > setup_.dram.controller.write_low_mark);
}

// Banks whose queue has room and for which a segment waits in the queue whose turn it is.
std::uint64_t Channel::movable() const { return (draining() ? writes_ : reads_).banks() & ~full_; }

void Channel::schedule() {
  const bool drains = draining();
  const std::uint64_t banks = (drains ? writes_ : reads_).banks() & ~full_;
  if (drains && to_drain_ == 0) to_drain_ = writes_.size();
  if (banks == 0) return;
  const Segment s = (to_drain_ > 0 ? writes_ : reads_).pop_first(banks);
  if (to_drain_ > 0) --to_drain_;
  BankQueue& q = queue(s.bank);
  const std::uint32_t place = 1u << q.size;
  q[q.size++] = {s.row, s.request, s.bursts, s.write};
  if (!s.write) ++q.reads;
  if (q.size == setup_.dram.controller.bank_queue) full_ |= bit(s.bank);
  ++waiting_;
  occupied_ |= bit(s.bank);
  if (timing_.open(s.bank)) {
    std::uint32_t& hits = s.write ? q.write_hits : q.read_hits;
    if (timing_.row(s.bank) == s.row) hits |= place;
    if (place != 1 && hits != place)
      return;  // neither the oldest nor the first hit of its kind: the bank wants no more
  } else if (place != 1) {
    return;
  }
  update_wants(s.bank);
  if ((blocked_ & bit(s.bank)) != 0) return;
  if ((want_activate_ & bit(s.bank)) != 0) {
    next_activate_ = std::min(next_activate_, timing_.activate_at(s.bank, now_ + 1));
    return;
  }
  if ((want_precharge_ & bit(s.bank)) != 0)
    next_precharge_ = std::min(next_precharge_, timing_.precharge_at(s.bank, now_ + 1));
  if ((want_read_ & bit(s.bank)) != 0) next_column_ = std::min(next_column_, timing_.read_at(s.bank, now_ + 1));
  if ((want_write_ & bit(s.bank)) != 0) next_column_ = std::min(next_column_, timing_.write_at(s.bank, now_ + 1));
}

bool Channel::accepts(bool write) const { return coming_[write ? 1 : 0] < (write ? writes_ : reads_).room(); }

// When letting the backlog in can next change anything. Reads whose bank has no room anyway may as well enter when
// something else happens: whatever comes next lets them in first.
Clock Channel::next_admission(Clock now) const {
  constexpr std::size_t most_looked_at = 8;
  const std::size_t end = std::min(backlog_.size(), backlog_head_ + most_looked_at);
  for (std::size_t i = backlog_head_; i < end; ++i) {
    const Segment& s = backlog_[i];
    if (s.write ? writes_.full() : i - backlog_head_ == reads_.room()) return never;
    if (s.write || (full_ & bit(s.bank)) == 0) return std::max(now + 1, s.arrival);
  }
  return end == backlog_.size() ? never : std::max(now + 1, backlog_[end].arrival);
}

// The next clock in which something can happen, from the state after this one.
void Channel::plan(Clock now) {
  if (refreshing()) refresh_at_ = refresh_action_at(now + 1);
  if (movable() != 0) {
    next_ = now + 1;
    return;
  }
  find_next(now + 1);
  Clock next = std::min({next_activate_, next_precharge_, next_column_});
  if (backlog_head_ < backlog_.size()) next = std::min(next, next_admission(now));
  const bool work = waiting_ > 0 || reads_.size() > 0 || to_drain_ > 0 || backlog_head_ < backlog_.size();
  if (work) next = std::min(next, refreshing() ? refresh_at_ : refresh_due_);
  next_ = std::min(std::max(next, now + 1), never);
}

Clock Channel::earliest_completion() const {
  Clock at = never;
  const Clock from = std::max(next_, now_ + 1);
  if ((want_read_ & ~blocked_) != 0) at = std::max(from, next_column_) + c_.read_latency;
  if (waiting_ > 0) {
    // Closed or in conflict, or behind a refresh.
    const Clock row = (occupied_ & blocked_) != 0 ? from : std::max(from, std::min(next_activate_, next_precharge_));
    at = std::min(at, row + c_.rcd_rd + c_.read_latency);
  }
  if (reads_.size() > 0) at = std::min(at, from + 1 + c_.read_latency);
  if (backlog_head_ < backlog_.size()) {
    const Clock arrival = std::max(from, backlog_[backlog_head_].arrival);
    at = std::min(at, arrival + 1 + (coming_[1] > 0 ? 0 : c_.read_latency));
  }
  return at;
}

void Channel::record(Op op, int bank, std::int32_t row, Clock at) {
  if (trace_ != nullptr) trace_->push_back({op, index_, static_cast<std::int16_t>(bank), row, at});
}

void Channel::add_to(MemoryStats& stats, std::int64_t clock_fs) const {
  stats.row_hits += row_hits_;
  stats.row_misses += row_misses_;
  stats.row_conflicts += row_conflicts_;
  stats.refreshes += refreshes_;
  stats.busy += TimeFs(busy_clocks_ * clock_fs);
}

}  // namespace heddle::memory
