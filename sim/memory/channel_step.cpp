// SPDX-License-Identifier: Apache-2.0
// What a channel does in a clock: the hot part, all in one place so that the compiler sees it together.
#include <algorithm>
#include <bit>

#include "sim/memory/channel.hpp"

// One function in the end: calls between the parts of a clock cost as much as the parts.
#define HEDDLE_INLINE __attribute__((always_inline)) inline

namespace heddle::memory {

HEDDLE_INLINE void Channel::admit(Clock now, std::vector<Done>& done) {
  while (backlog_head_ < backlog_.size()) {
    const Segment& s = pool_[backlog_[backlog_head_]];
    SegmentQueue& q = s.write ? writes_ : reads_;
    if (s.arrival > now || q.full()) break;
    q.push(pool_, backlog_[backlog_head_]);
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

HEDDLE_INLINE bool Channel::draining() const {
  return to_drain_ > 0 ||
         (writes_.size() > 0 && (writes_.full() || (waiting_ == 0 && writes_.size() > write_low_mark_)));
}

// One segment moves to its bank, if there is one whose bank has room.
HEDDLE_INLINE void Channel::schedule() {
  const bool drains = draining();
  const std::uint64_t banks = (drains ? writes_ : reads_).banks() & ~full_;
  if (drains && to_drain_ == 0) to_drain_ = writes_.size();
  if (banks == 0) return;
  const std::uint32_t moved = (to_drain_ > 0 ? writes_ : reads_).pop_first(pool_, banks);
  const Segment& s = pool_[moved];
  if (to_drain_ > 0) --to_drain_;
  BankQueue& q = queue(s.bank);
  const std::uint32_t place = 1u << q.size;
  q[q.size++] = moved;
  if (q.size == bank_queue_) full_ |= bit(s.bank);
  ++waiting_;
  if (!s.write) {
    ++q.reads;
    with_reads_ |= bit(s.bank);
  }
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

// When letting the backlog in can next change anything. Reads whose bank has no room anyway may as well enter when
// something else happens: whatever comes next lets them in first.
Clock Channel::next_admission(Clock now) const {
  constexpr std::size_t most_looked_at = 8;
  const std::size_t end = std::min(backlog_.size(), backlog_head_ + most_looked_at);
  for (std::size_t i = backlog_head_; i < end; ++i) {
    const Segment& s = pool_[backlog_[i]];
    if (s.write ? writes_.full() : i - backlog_head_ == reads_.room()) return never;
    if (s.write || (full_ & bit(s.bank)) == 0) return std::max(now + 1, s.arrival);
  }
  return end == backlog_.size() ? never : std::max(now + 1, pool_[backlog_[end]].arrival);
}

// The next clock in which something can happen, from the state after this one.
HEDDLE_INLINE void Channel::plan(Clock now) {
  if (refreshing()) refresh_at_ = refresh_action_at(now + 1);
  if (((draining() ? writes_ : reads_).banks() & ~full_) != 0) {
    next_ = now + 1;
    return;
  }
  find_next(now + 1);
  Clock next = std::min(std::min(next_activate_, next_precharge_), next_column_);
  bool work = waiting_ > 0 || reads_.size() > 0 || to_drain_ > 0;
  if (backlog_head_ < backlog_.size()) {
    work = true;
    next = std::min(next, next_admission(now));
  }
  if (work) next = std::min(next, refreshing() ? refresh_at_ : refresh_due_);
  next_ = std::min(std::max(next, now + 1), never);
}

// Which of the bank's requests lie in the row that was just opened.
HEDDLE_INLINE void Channel::find_hits(int bank) {
  BankQueue& q = queue(bank);
  q.read_hits = q.write_hits = 0;
  const std::int32_t row = timing_.row(bank);
  for (int i = 0; i < q.size; ++i) {
    const Segment& w = pool_[q[i]];
    const auto hit = static_cast<std::uint32_t>(w.row == row) << i;
    q.read_hits |= w.write ? 0 : hit;
    q.write_hits |= w.write ? hit : 0;
  }
}

// What the bank's queue asks for, in view of its open row. The oldest, if it is a conflict, may have the row closed
// when no hit waits, or enough of them went before it.
HEDDLE_INLINE void Channel::update_wants(int bank) {
  const BankQueue& q = queue(bank);
  const std::uint64_t b = bit(bank);
  const bool any = q.size != 0, open = timing_.open(bank);
  const std::uint32_t hits = q.read_hits | q.write_hits;
  const auto set = [b](std::uint64_t mask, bool on) { return (mask & ~b) | (on ? b : 0); };
  want_activate_ = set(want_activate_, any && !open);
  want_precharge_ = set(want_precharge_, any && open && (hits & 1) == 0 && (hits == 0 || q.hits >= row_hit_limit_));
  want_read_ = set(want_read_, q.read_hits != 0);
  want_write_ = set(want_write_, q.write_hits != 0);
}

// Of the banks with a command that is legal and uses one of `buses`, the first after the one that went last; then,
// where row and column commands have buses of their own, the next one with a command for the other bus. What the first
// command does never keeps the second from being legal, unless both are the same bank's.
HEDDLE_INLINE void Channel::issue(Clock now, unsigned buses, std::vector<Done>& done) {
  std::uint64_t open = 0, close = 0, read = 0, write = 0;
  if ((buses & row_bus) != 0) {
    if (next_activate_ <= now) {
      const ChannelTiming::Ripe r = timing_.activates(want_activate_ & ~blocked_, now);
      open = r.now;
      next_activate_ = open != 0 ? now : r.next;
    }
    if (next_precharge_ <= now) {
      const ChannelTiming::Ripe r = timing_.precharges(want_precharge_ & ~blocked_, now);
      close = r.now;
      next_precharge_ = close != 0 ? now : r.next;
    }
  }
  if ((buses & column_bus) != 0 && next_column_ <= now) {
    const ChannelTiming::Ripe r = timing_.reads(want_read_ & ~blocked_, now);
    read = r.now;
    next_column_ = later_column_ = r.next;
    if (want_write_ != 0) {
      const ChannelTiming::Ripe w = timing_.writes(want_write_ & ~blocked_, now);
      write = w.now;
      next_column_ = std::min(next_column_, w.next);
    }
    if ((read | write) != 0) next_column_ = now;
  }
  for (std::uint64_t ready = open | close | read | write; ready != 0;) {
    const std::uint64_t after_turn = ready & ~((bit(turn_) - 1) | bit(turn_));
    const int b = std::countr_zero(after_turn != 0 ? after_turn : ready);
    turn_ = b;
    // The oldest command that is ready: the conflict is the queue's first, so it goes before any hit.
    const bool row = ((open | close) & bit(b)) != 0;
    if ((open & bit(b)) != 0) {
      activate(b, now);
    } else if (row) {
      precharge(b, now);
      queue(b).hits = conflict_mark;
    } else {
      const BankQueue& q = queue(b);
      const int first_read = (read & bit(b)) != 0 ? std::countr_zero(q.read_hits) : max_bank_queue;
      const int first_write = (write & bit(b)) != 0 ? std::countr_zero(q.write_hits) : max_bank_queue;
      issue_column(b, std::min(first_read, first_write), now, done);
    }
    if (!two_buses_) return;
    if (row)
      open = close = 0;
    else
      read = write = 0;
    ready = (open | close | read | write) & ~bit(b);
  }
}

HEDDLE_INLINE void Channel::activate(int bank, Clock now) {
  BankQueue& q = queue(bank);
  const std::int32_t row = pool_[q[0]].row;
  timing_.activate(bank, row, now);
  record(Op::activate, bank, row, now);
  ++(q.hits == conflict_mark ? row_conflicts_ : row_misses_);
  q.hits = 0;
  find_hits(bank);
  update_wants(bank);
  next_column_ = std::min(next_column_, now + std::min(c_.rcd_rd, c_.rcd_wr));
}

void Channel::precharge(int bank, Clock now) {
  timing_.precharge(bank, now);
  record(Op::precharge, bank, 0, now);
  BankQueue& q = queue(bank);
  q.hits = 0;
  q.read_hits = q.write_hits = 0;
  update_wants(bank);
  if (q.size > 0 && (blocked_ & bit(bank)) == 0)
    next_activate_ = std::min(next_activate_, timing_.activate_at(bank, now + 1));
}

// Out of the middle of the queue: those before it move up.
HEDDLE_INLINE void Channel::take(BankQueue& q, int position) {
  q.head = (q.head + 1) & (max_bank_queue - 1);
  --q.size;
  if (position == 0) {
    q.read_hits >>= 1;
    q.write_hits >>= 1;
    return;
  }
  for (int i = position - 1; i >= 0; --i) q[i] = q[i - 1];
  const std::uint32_t before = (1u << position) - 1;
  q.read_hits = (q.read_hits & before) | (q.read_hits >> 1 & ~before);
  q.write_hits = (q.write_hits & before) | (q.write_hits >> 1 & ~before);
}

HEDDLE_INLINE void Channel::issue_column(int bank, int position, Clock now, std::vector<Done>& done) {
  BankQueue& q = queue(bank);
  const std::uint32_t served = q[position];
  const Segment& w = pool_[served];
  pool_.give_back(served);
  take(q, position);
  --waiting_;
  if (!w.write && --q.reads == 0) with_reads_ &= ~bit(bank);
  full_ &= ~bit(bank);
  if (q.size == 0) occupied_ &= ~bit(bank);
  const bool close = closed_page_;
  const Clock last = w.write ? timing_.write(bank, now, w.bursts, close) : timing_.read(bank, now, w.bursts, close);
  if (!w.write) done.push_back({w.request, last + c_.read_latency});
  row_hits_ += w.bursts - (q.hits == 0 ? 1u : 0u);  // the first burst after an activate is counted there
  q.hits = close ? 0 : static_cast<std::uint8_t>(std::min(q.hits + 1, 254));
  busy_clocks_ += w.bursts * c_.burst;
  if (trace_ != nullptr) {
    for (int i = 0; i < w.bursts; ++i) {
      const bool ends = close && i + 1 == w.bursts;
      const Op op = w.write ? (ends ? Op::write_precharge : Op::write) : (ends ? Op::read_precharge : Op::read);
      record(op, bank, w.row, now + i * c_.ccd_l);
    }
  }
  if (!close && !w.write) {
    if (want_write_ == 0 && w.bursts == 1) {
      // Only reads wait: those that were not ripe come when they do, the others a tCCD on.
      const std::uint64_t want = (q.read_hits != 0 ? want_read_ : want_read_ & ~bit(bank)) & ~blocked_;
      next_column_ = later_column_;
      if (want != 0) {
        const bool alone = (want & ~timing_.banks_of_group(bank)) == 0;
        next_column_ = std::min(next_column_, now + (alone ? c_.ccd_l : c_.ccd_s));
      }
    }
    if (position == 0 && (q.read_hits & 1) != 0) return;  // it wants what it wanted
  }
  if (close) q.read_hits = q.write_hits = 0;
  update_wants(bank);
  if ((want_activate_ & bit(bank)) != 0) next_activate_ = std::min(next_activate_, timing_.activate_at(bank, now + 1));
  if ((want_precharge_ & bit(bank)) != 0)
    next_precharge_ = std::min(next_precharge_, timing_.precharge_at(bank, now + 1));
}

// Brings the bounds that lie before `from` up to it.
HEDDLE_INLINE void Channel::find_next(Clock from) {
  const auto bound = [from](const ChannelTiming::Ripe& r) { return r.now != 0 ? from : r.next; };
  if (next_activate_ < from) {
    next_activate_ = timing_.activate_floor();
    if (next_activate_ <= from) next_activate_ = bound(timing_.activates(want_activate_ & ~blocked_, from));
  }
  if (next_precharge_ < from) next_precharge_ = bound(timing_.precharges(want_precharge_ & ~blocked_, from));
  if (next_column_ < from) {
    next_column_ = bound(timing_.reads(want_read_ & ~blocked_, from));
    if (want_write_ != 0) next_column_ = std::min(next_column_, bound(timing_.writes(want_write_ & ~blocked_, from)));
  }
}

HEDDLE_INLINE void Channel::step(Clock now, std::vector<Done>& done) {
  now_ = now;
  if (backlog_head_ < backlog_.size() && pool_[backlog_[backlog_head_]].arrival <= now) admit(now, done);
  if ((refresh_due_ <= now || refreshing()) && refresh_step(now)) {
    if (two_buses_) issue(now, column_bus, done);
  } else if (std::min(std::min(next_activate_, next_precharge_), next_column_) <= now) {
    issue(now, any_bus, done);
  }
  schedule();
  plan(now);
}

void Channel::run(Clock until, std::vector<Done>& done) {
  while (next_ <= until) {
    if ((refreshing() ? refresh_at_ : refresh_due_) < next_) catch_up_refresh(next_);
    step(next_, done);
  }
}

}  // namespace heddle::memory
