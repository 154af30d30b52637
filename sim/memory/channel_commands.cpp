// SPDX-License-Identifier: Apache-2.0
// The part of a channel that chooses and issues commands; see channel.cpp for the rest.
#include <algorithm>
#include <bit>

#include "sim/memory/channel.hpp"

namespace heddle::memory {

// Which of the bank's requests lie in the row that was just opened.
void Channel::find_hits(int bank) {
  BankQueue& q = queue(bank);
  q.read_hits = q.write_hits = 0;
  const std::int32_t row = timing_.row(bank);
  for (int i = 0; i < q.size; ++i) {
    const Waiting& w = q[i];
    const auto hit = static_cast<std::uint32_t>(w.row == row) << i;
    q.read_hits |= w.write ? 0 : hit;
    q.write_hits |= w.write ? hit : 0;
  }
}

// What the bank's queue asks for, in view of its open row. The oldest, if it is a conflict, may have the row closed
// when no hit waits, or enough of them went before it.
void Channel::update_wants(int bank) {
  const BankQueue& q = queue(bank);
  const std::uint64_t b = bit(bank);
  want_activate_ &= ~b;
  want_precharge_ &= ~b;
  want_read_ &= ~b;
  want_write_ &= ~b;
  if (q.size == 0) return;
  if (!timing_.open(bank)) {
    want_activate_ |= b;
    return;
  }
  const std::uint32_t hits = q.read_hits | q.write_hits;
  if ((hits & 1) == 0 && (hits == 0 || q.hits >= setup_.dram.controller.row_hit_limit)) want_precharge_ |= b;
  if (q.read_hits != 0) want_read_ |= b;
  if (q.write_hits != 0) want_write_ |= b;
}

// The first bank after the one that went last, whose command is legal and uses one of `buses`. Returns the bus it took.
unsigned Channel::issue_one(Clock now, unsigned buses, std::vector<Done>& done) {
  std::uint64_t row = 0, close = 0, read = 0, write = 0;
  if ((buses & row_bus) != 0) {
    if (next_activate_ <= now) {
      const ChannelTiming::Ripe r = timing_.activates(want_activate_ & ~blocked_, now);
      row = r.now;
      next_activate_ = row != 0 ? now : r.next;
    }
    if (next_precharge_ <= now) {
      const ChannelTiming::Ripe r = timing_.precharges(want_precharge_ & ~blocked_, now);
      close = r.now;
      next_precharge_ = close != 0 ? now : r.next;
    }
  }
  if ((buses & column_bus) != 0 && next_column_ <= now) {
    const ChannelTiming::Ripe r = timing_.reads(want_read_ & ~blocked_, now);
    const ChannelTiming::Ripe w = timing_.writes(want_write_ & ~blocked_, now);
    read = r.now;
    write = w.now;
    next_column_ = (read | write) != 0 ? now : std::min(r.next, w.next);
  }
  const std::uint64_t ready = row | close | read | write;
  if (ready == 0) return no_bus;
  const std::uint64_t after_turn = ready & ~((bit(turn_) - 1) | bit(turn_));
  const int b = std::countr_zero(after_turn != 0 ? after_turn : ready);
  turn_ = b;
  if ((row & bit(b)) != 0) {
    activate(b, now);
    return row_bus;
  }
  // The oldest command that is ready: the conflict is the queue's first, so it goes before any hit.
  if ((close & bit(b)) != 0) {
    precharge(b, now);
    queue(b).hits = conflict_mark;
    return row_bus;
  }
  const BankQueue& q = queue(b);
  const int first_read = (read & bit(b)) != 0 ? std::countr_zero(q.read_hits) : max_bank_queue;
  const int first_write = (write & bit(b)) != 0 ? std::countr_zero(q.write_hits) : max_bank_queue;
  issue_column(b, std::min(first_read, first_write), now, done);
  return column_bus;
}

void Channel::activate(int bank, Clock now) {
  BankQueue& q = queue(bank);
  timing_.activate(bank, q[0].row, now);
  record(Op::activate, bank, q[0].row, now);
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
void Channel::take(BankQueue& q, int position) {
  for (int i = position; i > 0; --i) q[i] = q[i - 1];
  q.head = (q.head + 1) & (max_bank_queue - 1);
  --q.size;
  const std::uint32_t before = (1u << position) - 1;
  const auto without = [before](std::uint32_t m) { return (m & before) | (m >> 1 & ~before); };
  q.read_hits = without(q.read_hits);
  q.write_hits = without(q.write_hits);
}

void Channel::issue_column(int bank, int position, Clock now, std::vector<Done>& done) {
  BankQueue& q = queue(bank);
  const Waiting w = q[position];
  take(q, position);
  if (!w.write) --q.reads;
  --waiting_;
  full_ &= ~bit(bank);
  if (q.size == 0) occupied_ &= ~bit(bank);
  const bool close = setup_.closed_page;
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
  if (close) q.read_hits = q.write_hits = 0;
  update_wants(bank);
  if ((want_activate_ & bit(bank)) != 0) next_activate_ = std::min(next_activate_, timing_.activate_at(bank, now + 1));
  if ((want_precharge_ & bit(bank)) != 0)
    next_precharge_ = std::min(next_precharge_, timing_.precharge_at(bank, now + 1));
}

// Brings the bounds that lie before `from` up to it.
void Channel::find_next(Clock from) {
  const auto bound = [from](const ChannelTiming::Ripe& r) { return r.now != 0 ? from : r.next; };
  if (next_activate_ < from) next_activate_ = bound(timing_.activates(want_activate_ & ~blocked_, from));
  if (next_precharge_ < from) next_precharge_ = bound(timing_.precharges(want_precharge_ & ~blocked_, from));
  if (next_column_ < from)
    next_column_ = std::min(bound(timing_.reads(want_read_ & ~blocked_, from)),
                            bound(timing_.writes(want_write_ & ~blocked_, from)));
}

}  // namespace heddle::memory
