// SPDX-License-Identifier: Apache-2.0
// The part of a channel that chooses and issues commands; see channel.cpp for the rest.
#include <algorithm>
#include <bit>

#include "sim/memory/channel.hpp"

namespace heddle::memory {

// What the bank's queue asks for, in view of its open row.
void Channel::classify(int bank) {
  BankQueue& q = queue(bank);
  q.first_read = q.first_write = -1;
  q.may_close = false;
  if (q.size == 0 || !timing_.open(bank)) return;
  const std::int32_t row = timing_.row(bank);
  for (std::int8_t i = 0; i < static_cast<std::int8_t>(q.size); ++i) {
    const Waiting& w = q[i];
    if (w.row != row) continue;
    std::int8_t& first = w.write ? q.first_write : q.first_read;
    if (first < 0) first = i;
    if (q.first_read >= 0 && q.first_write >= 0) break;
  }
  q.may_close =
      q[0].row != row && ((q.first_read < 0 && q.first_write < 0) || q.hits >= setup_.dram.controller.row_hit_limit);
}

// The same after one more joined its end. Returns whether the bank may be ready sooner, or its command another.
bool Channel::classify_last(int bank) {
  BankQueue& q = queue(bank);
  if (!timing_.open(bank)) return q.size == 1;
  const auto last = static_cast<std::int8_t>(q.size - 1);
  const Waiting& w = q[last];
  if (w.row == timing_.row(bank)) {
    std::int8_t& first = w.write ? q.first_write : q.first_read;
    if (first >= 0) return false;
    first = last;
    q.may_close = q.may_close && q.hits >= setup_.dram.controller.row_hit_limit;
    return true;
  }
  if (last == 0) q.may_close = true;
  return last == 0;
}

// The same after the hit at `position` was taken from it.
void Channel::classify_without(int bank, int position, bool write) {
  BankQueue& q = queue(bank);
  std::int8_t& same = write ? q.first_write : q.first_read;
  std::int8_t& other = write ? q.first_read : q.first_write;
  if (other > position) --other;
  const std::int32_t row = timing_.row(bank);
  int i = position;
  while (i < q.size && !(q[i].row == row && q[i].write == write)) ++i;
  same = i < q.size ? static_cast<std::int8_t>(i) : std::int8_t{-1};
  q.may_close = q.size > 0 && q[0].row != row &&
                ((q.first_read < 0 && q.first_write < 0) || q.hits >= setup_.dram.controller.row_hit_limit);
}

Clock Channel::ready_at(int bank, Clock from) const {
  const BankQueue& q = queue(bank);
  if (!timing_.open(bank)) return timing_.activate_at(bank, from);
  Clock at = q.may_close ? timing_.precharge_at(bank, from) : never;
  if (q.first_read >= 0) at = std::min(at, timing_.read_at(bank, from));
  if (q.first_write >= 0) at = std::min(at, timing_.write_at(bank, from));
  return at;
}

// The loops below have no branch in their bodies: which banks are ready is as good as random, and a wrong guess of the
// host costs more than the arithmetic.
void Channel::update_ready(std::uint64_t banks) {
  for (std::uint64_t m = banks & occupied_; m != 0; m &= m - 1) {
    const int b = std::countr_zero(m);
    ready_[static_cast<std::size_t>(b)] = ready_at(b, now_);
  }
  Clock earliest = never;
  for (std::uint64_t m = occupied_ & ~blocked_; m != 0; m &= m - 1)
    earliest = std::min(earliest, ready_[static_cast<std::size_t>(std::countr_zero(m))]);
  earliest_ready_ = earliest;
}

// The first bank after the one that went last, whose command is ready and uses one of `buses`. Returns the bus it took.
unsigned Channel::issue_one(Clock now, unsigned buses, std::vector<Done>& done) {
  std::uint64_t ready = 0;
  for (std::uint64_t m = occupied_ & ~blocked_; m != 0; m &= m - 1) {
    const int b = std::countr_zero(m);
    ready |= static_cast<std::uint64_t>(ready_[static_cast<std::size_t>(b)] <= now) << b;
  }
  const std::uint64_t upto_turn = (bit(turn_) - 1) | bit(turn_);
  for (std::uint64_t part : {ready & ~upto_turn, ready & upto_turn})
    for (; part != 0; part &= part - 1) {
      const int b = std::countr_zero(part);
      if (const unsigned used = issue_at(b, now, buses, done); used != no_bus) {
        turn_ = b;
        return used;
      }
    }
  return no_bus;
}

unsigned Channel::issue_at(int bank, Clock now, unsigned buses, std::vector<Done>& done) {
  BankQueue& q = queue(bank);
  if (!timing_.open(bank)) {
    if ((buses & row_bus) == 0 || timing_.activate_at(bank, now) > now) return no_bus;
    timing_.activate(bank, q[0].row, now);
    record(Op::activate, bank, q[0].row, now);
    ++(q.hits == conflict_mark ? row_conflicts_ : row_misses_);
    q.hits = 0;
    classify(bank);
    const std::uint64_t affected = closed_;  // this bank, and those that want to activate too
    closed_ &= ~bit(bank);
    update_ready(affected);
    return row_bus;
  }
  // The oldest command that is ready: the conflict is the queue's first, so it goes before any hit.
  if ((buses & row_bus) != 0 && q.may_close && timing_.precharge_at(bank, now) <= now) {
    timing_.precharge(bank, now);
    record(Op::precharge, bank, 0, now);
    q.hits = conflict_mark;
    classify(bank);
    closed_ |= bit(bank);
    update_ready(bit(bank));
    return row_bus;
  }
  if ((buses & column_bus) == 0) return no_bus;
  const int read = q.first_read >= 0 && timing_.read_at(bank, now) <= now ? q.first_read : max_bank_queue;
  const int write = q.first_write >= 0 && timing_.write_at(bank, now) <= now ? q.first_write : max_bank_queue;
  const int position = std::min(read, write);
  if (position == max_bank_queue) return no_bus;
  issue_column(bank, position, now, done);
  return column_bus;
}

void Channel::issue_column(int bank, int position, Clock now, std::vector<Done>& done) {
  BankQueue& q = queue(bank);
  const Waiting w = q[position];
  const std::int32_t row = w.row;
  if (position == 0) {
    q.head = (q.head + 1) & (max_bank_queue - 1);
  } else {
    for (int i = position; i + 1 < q.size; ++i) q[i] = q[i + 1];
  }
  --q.size;
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
      record(op, bank, row, now + i * c_.ccd_l);
    }
  }
  if (close)
    classify(bank);
  else
    classify_without(bank, position, w.write);
  if (close && q.size > 0) closed_ |= bit(bank);
  update_ready((occupied_ & ~closed_) | bit(bank));
}

}  // namespace heddle::memory
