// SPDX-License-Identifier: Apache-2.0
// The counting semaphores of one core.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sim/exec/engine_op.hpp"

namespace heddle::control {

class Semaphores {
 public:
  static constexpr std::int64_t most = 0x7fff'ffff;  // 2^31 - 1
  explicit Semaphores(std::int64_t count) : count_(static_cast<std::size_t>(count), 0) {}

  std::size_t size() const { return count_.size(); }
  std::int64_t value(std::uint32_t sem) const { return count_[sem]; }

  // Whether the semaphore exists is checked at issue (HDL-EXEC-10), not here.
  bool can_take(const std::array<exec::SemCount, 2>& wait) const;
  // Takes both counts at once, or none; the same semaphore twice counts as the sum.
  bool try_take(const std::array<exec::SemCount, 2>& wait);
  bool try_take(std::uint32_t sem, std::int64_t n);

  // Throws HDL-SEM-03 (kind program) when the count would pass 2^31 - 1.
  void post(std::uint32_t sem, std::int64_t n);

  bool all_zero() const;
  void reset();  // after a failed launch only: a good one leaves zeros

 private:
  std::vector<std::int64_t> count_;
};

}  // namespace heddle::control
