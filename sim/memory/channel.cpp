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
      reads_(setup.queue_depth),
      writes_(setup.queue_depth) {
  ready_.fill(never);
  turn_ = timing_.banks() - 1;
  const std::int64_t targets = setup.refresh == Refresh::per_bank ? timing_.banks() : setup.dram.organization.ranks;
  if (setup.refresh != Refresh::none) refresh_due_ = refresh_interval_ = setup.dram.timing.refi / targets;
}

void Channel::push(const Segment& segment) {
  Segment s = segment;
  s.arrival = std::max(s.arrival, now_ + 1);
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
  admit(now, done);
  const bool owed = refreshing();
  refresh_clock(now);
  if (refreshing() && !owed) refresh_at_ = refresh_action_at(now);
  const bool two_buses = setup_.dram.organization.row_and_column_command;
  unsigned used = no_bus;
  if (refreshing() && refresh_at_ <= now) {
    refresh_action(now);
    used = row_bus;
  } else if (earliest_ready_ <= now) {
    used = issue_one(now, any_bus, done);
  }
  if (two_buses && used != no_bus && earliest_ready_ <= now) issue_one(now, any_bus & ~used, done);
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
  const std::uint64_t banks = movable();
  if (draining() && to_drain_ == 0) to_drain_ = writes_.size();
  if (banks == 0) return;
  const Segment s = (to_drain_ > 0 ? writes_ : reads_).pop_first(banks);
  if (to_drain_ > 0) --to_drain_;
  BankQueue& q = queue(s.bank);
  q[q.size++] = {s.row, s.request, s.bursts, s.write};
  if (!s.write) ++q.reads;
  if (q.size == setup_.dram.controller.bank_queue) full_ |= bit(s.bank);
  ++waiting_;
  if ((occupied_ & bit(s.bank)) == 0) {
    occupied_ |= bit(s.bank);
    if (!timing_.open(s.bank)) closed_ |= bit(s.bank);
  }
  if (!classify_last(s.bank)) return;
  const Clock ready = ready_at(s.bank, now_);
  ready_[s.bank] = ready;
  if ((blocked_ & bit(s.bank)) == 0) earliest_ready_ = std::min(earliest_ready_, ready);
}

bool Channel::accepts(bool write) const {
  std::size_t coming = 0;
  for (std::size_t i = backlog_head_; i < backlog_.size(); ++i) coming += backlog_[i].write == write ? 1 : 0;
  return coming < (write ? writes_ : reads_).room();
}

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
  if (earliest_ready_ <= now) {  // was not taken; a run may hold the clocks after it
    Clock earliest = never;
    for (std::uint64_t m = occupied_ & ~blocked_; m != 0; m &= m - 1) {
      const int b = std::countr_zero(m);
      Clock& ready = ready_[static_cast<std::size_t>(b)];
      if (ready <= now) ready = ready_at(b, now + 1);
      earliest = std::min(earliest, ready);
    }
    earliest_ready_ = earliest;
  }
  Clock next = std::min(earliest_ready_, next_admission(now));
  const bool work = waiting_ > 0 || reads_.size() > 0 || to_drain_ > 0 || backlog_head_ < backlog_.size();
  if (work) next = std::min(next, refreshing() ? refresh_at_ : refresh_due_);
  next_ = std::min(std::max(next, now + 1), never);
}

Clock Channel::earliest_completion() const {
  Clock at = never;
  const Clock from = std::max(next_, now_ + 1);
  for (std::uint64_t m = occupied_; m != 0; m &= m - 1) {
    const int b = std::countr_zero(m);
    const BankQueue& q = queue(b);
    if (q.reads == 0) continue;
    const bool blocked = (blocked_ & bit(b)) != 0;
    const Clock soonest = blocked ? from : std::max(from, ready_[static_cast<std::size_t>(b)]);
    const bool hit = !blocked && q.first_read >= 0;
    at = std::min(at, soonest + c_.read_latency + (hit ? 0 : c_.rcd_rd));
  }
  if (reads_.size() > 0) at = std::min(at, from + 1 + c_.read_latency);
  if (backlog_head_ < backlog_.size()) at = std::min(at, std::max(from, backlog_[backlog_head_].arrival) + 1);
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
