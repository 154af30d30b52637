// SPDX-License-Identifier: Apache-2.0
// Scratchpad banks that are one contiguous range of addresses each and have one port: in a cycle in which a DMA engine
// writes to a bank, the array cannot read from it. DMA data comes when the memory sends it and cannot wait, so its
// writes go first; the array's accesses take the cycles that they leave. (scratchpad.linear_banks and write_first; with
// neither, banks are a matter of bandwidth alone: spm_traffic.hpp.)
//
// Writes are known when their data comes, so what the array reads from a bank into which a transfer runs is settled
// only once simulated time has passed it.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "isa/base/strong.hpp"
#include "isa/image/view.hpp"
#include "sim/config/chip_spec.hpp"

namespace heddle::compute {

class SpmBanks {
 public:
  explicit SpmBanks(const config::ScratchpadSpec& spm);

  bool modelled() const { return !banks_.empty(); }
  std::size_t bank_of(std::uint64_t address) const;

  // A transfer that writes the view's range (of this scratchpad) is under way, until the matching end.
  void begin_transfer(const isa::View& to) { count(to, 1); }
  void end_transfer(const isa::View& to) { count(to, -1); }
  bool written_soon(std::size_t bank) const { return banks_[bank].transfers > 0; }
  // `bytes` that one of them wrote at `address`, the last of them at `end`: a bank's width a cycle.
  void write(std::uint64_t address, std::int64_t bytes, TimeFs end, TimeFs period);

  // When `work` of the bank's time is over from `start` on, behind the writes known so far.
  TimeFs read_end(std::size_t bank, TimeFs start, TimeFs work) const;

  void begin_launch();
  TimeFs delayed() const { return delayed_; }
  void note_delay(TimeFs time) { delayed_ += time; }

 private:
  struct Span {
    TimeFs begin, end;
  };
  struct Bank {
    int transfers = 0;
    std::deque<Span> writes;  // in time order, apart
  };
  void count(const isa::View& to, int change);

  std::uint64_t bytes_a_bank_ = 0;
  std::int64_t width_ = 0;
  bool write_first_ = false;
  std::vector<Bank> banks_;  // none: not modelled
  TimeFs delayed_{};
};

}  // namespace heddle::compute
