// SPDX-License-Identifier: Apache-2.0
#include "sim/control/semaphores.hpp"

#include <algorithm>

#include "isa/base/error.hpp"

namespace heddle::control {

bool Semaphores::can_take(const std::array<exec::SemCount, 2>& wait) const {
  const std::int64_t n0 = wait[0].count;
  const std::int64_t n1 = wait[1].count;
  if (n0 != 0 && n1 != 0 && wait[0].sem == wait[1].sem) return count_[wait[0].sem] >= n0 + n1;
  return (n0 == 0 || count_[wait[0].sem] >= n0) && (n1 == 0 || count_[wait[1].sem] >= n1);
}

bool Semaphores::try_take(const std::array<exec::SemCount, 2>& wait) {
  if (!can_take(wait)) return false;
  for (const exec::SemCount& w : wait)
    if (w.count != 0) count_[w.sem] -= w.count;
  return true;
}

bool Semaphores::try_take(std::uint32_t sem, std::int64_t n) {
  if (count_[sem] < n) return false;
  count_[sem] -= n;
  return true;
}

void Semaphores::post(std::uint32_t sem, std::int64_t n) {
  if (count_[sem] > most - n)
    fail(ErrorKind::program, "HDL-SEM-03", "posting {} to s{} at {} passes 2^31 - 1", n, sem, count_[sem]);
  count_[sem] += n;
}

bool Semaphores::all_zero() const {
  return std::all_of(count_.begin(), count_.end(), [](std::int64_t c) { return c == 0; });
}

void Semaphores::reset() { std::fill(count_.begin(), count_.end(), 0); }

}  // namespace heddle::control
