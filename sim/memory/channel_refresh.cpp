// SPDX-License-Identifier: Apache-2.0
// The part of a channel that refreshes: one refresh owed each interval, ranks or banks in turn. A target that is owed
// one takes no more commands until its rows are closed and the refresh is out.
#include <algorithm>
#include <bit>

#include "sim/memory/channel.hpp"

namespace heddle::memory {

void Channel::refresh_clock(Clock now) {
  while (refresh_due_ <= now) {
    refresh_due_ += refresh_interval_;
    ++refreshes_owed_;
  }
  if (!refreshing()) return;
  const int banks = setup_.refresh == Refresh::per_bank ? 1 : timing_.banks_in_rank();
  const std::uint64_t mask = banks == 64 ? ~std::uint64_t{0} : bit(banks) - 1;
  set_blocked(mask << (refresh_target_ * banks));
}

// Returns whether a refresh, or a precharge for one, went out.
bool Channel::refresh_step(Clock now) {
  const bool owed = refreshing();
  refresh_clock(now);
  if (refreshing() && !owed) refresh_at_ = refresh_action_at(now);
  if (!refreshing() || refresh_at_ > now) return false;
  refresh_action(now);
  return true;
}

void Channel::set_blocked(std::uint64_t banks) {
  if (blocked_ == banks) return;
  blocked_ = banks;
  next_activate_ = next_precharge_ = next_column_ = 0;  // whatever they were: of other banks
}

Clock Channel::refresh_action_at(Clock from) const {
  const int banks = setup_.refresh == Refresh::per_bank ? 1 : timing_.banks_in_rank();
  Clock close = never;
  for (std::uint64_t m = timing_.open_banks() & blocked_; m != 0; m &= m - 1)
    close = std::min(close, timing_.precharge_at(std::countr_zero(m), from));
  if (close != never) return close;
  return banks == 1 ? timing_.refresh_bank_at(refresh_target_, from) : timing_.refresh_all_at(refresh_target_, from);
}

void Channel::refresh_action(Clock now) {
  const bool per_bank = setup_.refresh == Refresh::per_bank;
  const int banks = per_bank ? 1 : timing_.banks_in_rank();
  const int first = refresh_target_ * banks;
  const std::uint64_t open = timing_.open_banks() & blocked_;
  for (std::uint64_t m = open; m != 0; m &= m - 1) {
    const int b = std::countr_zero(m);
    if (timing_.precharge_at(b, now) > now) continue;
    precharge(b, now);
    return;
  }
  if (open != 0) return;
  if (per_bank)
    timing_.refresh_bank(first, now);
  else
    timing_.refresh_all(refresh_target_, now);
  record(per_bank ? Op::refresh_bank : Op::refresh_all, first, 0, now);
  ++refreshes_;
  --refreshes_owed_;
  refresh_target_ = (refresh_target_ + 1) % (timing_.banks() / banks);
  set_blocked(0);
  refresh_clock(now);
}

// Refreshes that fell due while nothing else was to be done, in the clocks they would have gone out.
void Channel::catch_up_refresh(Clock now) {
  for (;;) {
    const Clock at = std::max(now_ + 1, refreshing() ? refresh_at_ : refresh_due_);
    if (at >= now) return;
    now_ = at;
    const bool owed = refreshing();
    refresh_clock(at);
    if (refreshing() && !owed) refresh_at_ = refresh_action_at(at);
    if (refreshing() && refresh_at_ <= at) {
      refresh_action(at);
      if (refreshing()) refresh_at_ = refresh_action_at(at + 1);
    }
    skip_idle_refreshes(now);
  }
}

// All rows closed and none owed: each further refresh goes out in the very clock it is due, so all but the last round
// of them only count.
void Channel::skip_idle_refreshes(Clock now) {
  if (refreshing() || trace_ != nullptr || refresh_due_ >= now) return;
  if (timing_.open_banks() != 0) return;
  const std::int64_t targets = timing_.banks() / (setup_.refresh == Refresh::per_bank ? 1 : timing_.banks_in_rank());
  const std::int64_t rounds = (now - 1 - refresh_due_) / (refresh_interval_ * targets) - 1;
  if (rounds <= 0) return;
  refreshes_ += static_cast<std::uint64_t>(rounds * targets);
  refresh_due_ += rounds * targets * refresh_interval_;
}

}  // namespace heddle::memory
