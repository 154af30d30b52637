// SPDX-License-Identifier: Apache-2.0
// One DRAM channel's banks and buses: which row is open where, and from which clock on each command is legal. Knows
// nothing of requests or queues; the scheduler asks x_at(bank, from) for the first legal clock not before `from`, then
// commits x().
//
// A column command may stand for a run of n bursts of one row, ccd_l apart. Where ccd_l leaves room (at least two
// ccd_s), a run in another bank group may go between its bursts; at most two runs do so at a time.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "sim/memory/constraints.hpp"

namespace heddle::memory {

inline constexpr Clock never = std::numeric_limits<Clock>::max() / 4;
inline constexpr int max_banks = 64;

class ChannelTiming {
 public:
  ChannelTiming(const Constraints& constraints, const config::DramOrganization& o)
      : c_(constraints),
        banks_(static_cast<int>(o.ranks * o.bank_groups * o.banks)),
        ranks_(static_cast<std::size_t>(o.ranks)),
        groups_in_rank_(static_cast<int>(o.bank_groups)),
        banks_in_group_(static_cast<int>(o.banks)),
        group_shift_(std::countr_zero(static_cast<unsigned>(o.banks))),
        rank_shift_(group_shift_ + std::countr_zero(static_cast<unsigned>(o.bank_groups))),
        interleave_runs_(c_.ccd_l >= 2 * c_.ccd_s),
        two_buses_(o.row_and_column_command) {}

  int banks() const { return banks_; }
  int banks_in_rank() const { return groups_in_rank_ * banks_in_group_; }
  bool open(int bank) const { return (open_ >> bank & 1) != 0; }
  std::uint64_t open_banks() const { return open_; }
  std::int32_t row(int bank) const { return bank_[index(bank)].row; }

  // Banks of `want` for which a command is legal at `now`, and from when on it is for the first of the others (`never`
  // if there is none).
  struct Ripe {
    std::uint64_t now = 0;
    Clock next = never;
  };
  Ripe activates(std::uint64_t want, Clock now) const {
    return row_ripe(want, now, [this](int b) { return latest(bank_[index(b)].activate, activate_gate_[group(b)]); });
  }
  Ripe precharges(std::uint64_t want, Clock now) const {
    return row_ripe(want, now, [this](int b) { return bank_[index(b)].precharge; });
  }
  Ripe reads(std::uint64_t want, Clock now) const {
    return column_ripe(
        want, now, [this](int b) { return latest(bank_[index(b)].read, group_[group(b)].read, rank_[rank(b)].read); });
  }
  Ripe writes(std::uint64_t want, Clock now) const {
    return column_ripe(want, now, [this](int b) {
      return latest(bank_[index(b)].write, group_[group(b)].write, rank_[rank(b)].write);
    });
  }

  std::uint64_t banks_of_group(int bank) const {
    return ((std::uint64_t{2} << (banks_in_group_ - 1)) - 1) << (bank >> group_shift_ << group_shift_);
  }
  // Before this no bank at all can be activated.
  Clock activate_floor() const { return activate_floor_; }
  Clock activate_at(int bank, Clock from = 0) const {
    return row_slot(latest(from, bank_[index(bank)].activate, activate_gate_[group(bank)]));
  }
  Clock precharge_at(int bank, Clock from = 0) const { return row_slot(latest(from, bank_[index(bank)].precharge)); }
  Clock read_at(int bank, Clock from = 0) const {
    return column_slot(latest(latest(from, bank_[index(bank)].read), group_[group(bank)].read, rank_[rank(bank)].read));
  }
  Clock write_at(int bank, Clock from = 0) const {
    return column_slot(
        latest(latest(from, bank_[index(bank)].write), group_[group(bank)].write, rank_[rank(bank)].write));
  }
  // All banks of the rank (or the bank) have to be closed.
  Clock refresh_all_at(int rank_index, Clock from = 0) const {
    Clock at = from;
    for (int b = rank_index * banks_in_rank(); b < (rank_index + 1) * banks_in_rank(); ++b)
      at = std::max(at, bank_[index(b)].activate);
    return row_slot(at);
  }
  Clock refresh_bank_at(int bank, Clock from = 0) const {
    return row_slot(
        latest(latest(from, bank_[index(bank)].activate), group_[group(bank)].activate, rank_[rank(bank)].activate));
  }

  void activate(int bank, std::int32_t row, Clock at) {
    Bank& b = bank_[index(bank)];
    b.row = row;
    open_ |= std::uint64_t{1} << bank;
    b.activate = at + c_.rc;
    b.precharge = at + c_.ras;
    b.read = at + c_.rcd_rd;
    b.write = at + c_.rcd_wr;
    Rank& r = rank_[rank(bank)];
    r.window[r.oldest] = at;
    r.oldest = (r.oldest + 1) & 3;
    after_row_command(bank, at, c_.rrd_s, c_.rrd_l);
  }
  void precharge(int bank, Clock at) {
    Bank& b = bank_[index(bank)];
    open_ &= ~(std::uint64_t{1} << bank);
    b.activate = std::max(b.activate, at + c_.rp);
  }
  // The run's last command goes out at the clock returned.
  Clock read(int bank, Clock at, int bursts, bool then_precharge) {
    const Clock last = begin_run(at, bursts);
    Group& own = group_[group(bank)];
    raise(own.read, last + c_.ccd_l);
    for (std::size_t i = 0; i < ranks_; ++i) {
      raise(rank_[i].read, i == rank(bank) ? next_slot(at, last) : last + c_.ccd_rank);
      raise(rank_[i].write, last + c_.read_to_write);
    }
    close_after(bank, last + c_.read_to_precharge, then_precharge);
    return last;
  }
  Clock write(int bank, Clock at, int bursts, bool then_precharge) {
    const Clock last = begin_run(at, bursts);
    Group& own = group_[group(bank)];
    raise(own.read, last + c_.write_to_read_l);
    raise(own.write, last + c_.ccd_l);
    for (std::size_t i = 0; i < ranks_; ++i) {
      raise(rank_[i].read, last + (i == rank(bank) ? c_.write_to_read_s : c_.write_to_read_rank));
      raise(rank_[i].write, i == rank(bank) ? next_slot(at, last) : last + c_.ccd_rank);
    }
    close_after(bank, last + c_.write_to_precharge, then_precharge);
    return last;
  }
  void refresh_all(int rank_index, Clock at) {
    for (int b = rank_index * banks_in_rank(); b < (rank_index + 1) * banks_in_rank(); ++b)
      raise(bank_[index(b)].activate, at + c_.rfc_ab);
  }
  void refresh_bank(int bank, Clock at) {
    raise(bank_[index(bank)].activate, at + c_.rfc_pb);
    after_row_command(bank, at, c_.rrefd, c_.rrefd);
  }

 private:
  struct Bank {
    std::int32_t row = -1;                                   // if open
    Clock activate = 0, precharge = 0, read = 0, write = 0;  // legal from, as far as this bank's own history goes
  };
  // What all banks of a bank group, and of a rank, have to wait for besides.
  struct Group {
    Clock activate = 0, read = 0, write = 0;
  };
  struct Rank {
    Clock activate = 0, read = 0, write = 0;
    Clock all = 0;                                                // activates, tFAW included
    std::array<Clock, 4> window{-never, -never, -never, -never};  // the last activates
    std::size_t oldest = 0;
  };
  struct Run {
    Clock first = -never, last = -never;
  };

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  // Nested: std::max of a list goes through memory, and this is the hot path.
  static Clock latest(Clock a, Clock b) { return a > b ? a : b; }
  static Clock latest(Clock a, Clock b, Clock c) { return latest(latest(a, b), c); }
  static void raise(Clock& t, Clock to) { t = std::max(t, to); }
  std::size_t group(int bank) const { return index(bank >> group_shift_); }
  std::size_t rank(int bank) const { return index(bank >> rank_shift_); }
  Clock next_slot(Clock first, Clock last) const { return (interleave_runs_ ? first : last) + c_.ccd_s; }

  void after_row_command(int bank, Clock at, Clock short_gap, Clock long_gap) {
    raise(group_[group(bank)].activate, at + long_gap);
    Rank& r = rank_[rank(bank)];
    raise(r.activate, at + short_gap);
    const Clock all = std::max(r.activate, r.window[r.oldest] + c_.faw);
    r.all = all;
    activate_floor_ = all;
    for (std::size_t i = 0; i < ranks_; ++i) activate_floor_ = std::min(activate_floor_, rank_[i].all);
    const std::size_t first = rank(bank) * index(groups_in_rank_);
    for (std::size_t g = first; g < first + index(groups_in_rank_); ++g)
      activate_gate_[g] = latest(all, group_[g].activate);
  }

  // Neither loop has a branch in its body: which banks are ripe is as good as random, and a wrong guess of the host
  // costs more than the arithmetic.
  template <class At>
  static Ripe ripe(std::uint64_t want, Clock now, At at) {
    Ripe r;
    for (std::uint64_t m = want; m != 0; m &= m - 1) {
      const int b = std::countr_zero(m);
      const Clock t = at(b);
      const bool is = t <= now;
      r.now |= static_cast<std::uint64_t>(is) << b;
      const Clock later = is ? never : t;
      r.next = later < r.next ? later : r.next;
    }
    return r;
  }
  template <class At>
  Ripe row_ripe(std::uint64_t want, Clock now, At at) const {
    const Ripe r = ripe(want, now, at);
    if (two_buses_ || now > runs_end_) return r;
    if (r.now == 0) return {0, r.next == never ? never : row_slot(r.next)};
    const Clock slot = row_slot(now);
    return slot == now ? r : Ripe{0, slot};
  }
  template <class At>
  Ripe column_ripe(std::uint64_t want, Clock now, At at) const {
    const Ripe r = ripe(want, now, at);
    if (now >= runs_end_ + c_.ccd_s) return r;
    if (r.now == 0) return {0, r.next == never ? never : column_slot(r.next)};
    const Clock slot = column_slot(now);
    return slot == now ? r : Ripe{0, slot};
  }
  void close_after(int bank, Clock precharge_from, bool then_precharge) {
    Bank& b = bank_[index(bank)];
    raise(b.precharge, precharge_from);
    if (!then_precharge) return;
    open_ &= ~(std::uint64_t{1} << bank);
    raise(b.activate, b.precharge + c_.rp);
  }
  Clock begin_run(Clock at, int bursts) {
    const Clock last = at + (bursts - 1) * c_.ccd_l;
    if (bursts > 1) {
      if (run_[0].last < run_[1].last) std::swap(run_[0], run_[1]);
      run_[1] = {at, last};  // of two runs the one that ends first makes room
      runs_end_ = std::max(runs_end_, last);
    }
    return last;
  }
  // Clocks since the run's last burst at or before t. Runs are short: 32 bits, which divide several times faster.
  Clock place_in_run(const Run& r, Clock t) const {
    return static_cast<std::uint32_t>(t - r.first) % static_cast<std::uint32_t>(c_.ccd_l);
  }
  // A column command at t has to keep ccd_s from every burst of a run in progress.
  Clock column_slot(Clock t) const {
    if (!interleave_runs_) return t;
    const Run& longer = run_[0].last < run_[1].last ? run_[1] : run_[0];
    const Run& shorter = run_[0].last < run_[1].last ? run_[0] : run_[1];
    if (t < shorter.last + c_.ccd_s && t >= shorter.first) t = shorter.last + c_.ccd_s;
    if (t < longer.last + c_.ccd_s && t > longer.first) {
      const Clock phase = place_in_run(longer, t);
      if (phase < c_.ccd_s)
        t += c_.ccd_s - phase;
      else if (phase > c_.ccd_l - c_.ccd_s)
        t += c_.ccd_l - phase + c_.ccd_s;
    }
    return t;
  }
  // On a single command bus the bursts of a run already take their clocks.
  Clock row_slot(Clock t) const {
    if (two_buses_) return t;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Run& r : run_)
        if (t >= r.first && t <= r.last && place_in_run(r, t) == 0) {
          ++t;
          moved = true;
        }
    }
    return t;
  }

  Constraints c_;
  int banks_;
  std::size_t ranks_;
  int groups_in_rank_, banks_in_group_;
  int group_shift_, rank_shift_;  // the counts are powers of two
  bool interleave_runs_, two_buses_;
  std::uint64_t open_ = 0;
  std::array<Bank, max_banks> bank_{};
  std::array<Group, max_banks> group_{};
  std::array<Clock, max_banks> activate_gate_{};  // by group: what it and its rank's activates ask for, tFAW included
  std::array<Rank, 4> rank_{};
  std::array<Run, 2> run_{};
  Clock activate_floor_ = 0;
  Clock runs_end_ = -never;  // of the last burst of any run of several
};

}  // namespace heddle::memory
