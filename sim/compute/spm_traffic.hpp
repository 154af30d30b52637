// SPDX-License-Identifier: Apache-2.0
// Banked scratchpad, in arithmetic. Consecutive `width` bytes lie in consecutive banks; a bank serves one word a cycle.
//
// Inside one access: an operand of W words that its strides spread over D banks takes at least ceil(W / D) cycles.
// Between engines: each engine's current access has a demand in bytes a cycle. One that starts gets what the others
// leave of banks * width, but no less than its fair share; it keeps that rate to its end, and those already running are
// not slowed. Cost: O(engines) an instruction, whatever its size.
#pragma once
#include <cstdint>
#include <vector>

#include "isa/base/strong.hpp"
#include "isa/image/view.hpp"
#include "sim/compute/spm_banks.hpp"
#include "sim/config/chip_spec.hpp"

namespace heddle::compute {

struct SpmAccess {
  std::int64_t words = 0;   // bank words touched
  std::int64_t cycles = 0;  // at least, with the banks to itself
};

// One operand read or written once. Rows are the last dimension; the rows' stride is that of the one before it.
SpmAccess spm_access(const config::ScratchpadSpec& spm, const isa::View& view);

class SpmTraffic {
 public:
  // `period` is the core clock's, which the banks run at.
  SpmTraffic(const config::ScratchpadSpec& spm, std::uint32_t agents, TimeFs period)
      : width_(spm.width_bytes), peak_(spm.banks * spm.width_bytes), period_(period), loads_(agents), banks_(spm) {}

  // Cycles that `words` take an engine from `start` on, `least` without the others, and notes its demand. Both are
  // cycles of the engine's clock, whose period it gives.
  std::int64_t reserve(std::uint32_t agent, std::int64_t words, std::int64_t least, TimeFs start, TimeFs period);
  // A stream at a fixed rate, to be ended by release().
  void hold(std::uint32_t agent, std::int64_t bytes_per_cycle, TimeFs start);
  void release(std::uint32_t agent, TimeFs end) { loads_[agent].end = end; }

  TimeFs stretched() const { return stretched_; }
  SpmBanks& banks() { return banks_; }

 private:
  struct Load {
    TimeFs begin{}, end{};
    std::int64_t bytes_per_cycle = 0;
  };
  std::int64_t width_;
  std::int64_t peak_;
  TimeFs period_;
  std::vector<Load> loads_;
  SpmBanks banks_;
  TimeFs stretched_{};  // cycles lost to others, summed
};

}  // namespace heddle::compute
