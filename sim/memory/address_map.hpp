// SPDX-License-Identifier: Apache-2.0
// From a byte address to channel, bank, row and column. The mapping is a string of two-letter fields, most significant
// first: ro row, ra rank, bg bank group, ba bank, ch channel, co column (in bursts). Each field is named once, or in
// parts whose widths are written out: "rorabacobgco3ch" puts three bits of the column under the bank group. The part
// without a number takes the bits that are left. Counts need not be powers of two for the channel.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/memory/dram_setup.hpp"

namespace heddle::memory {

struct DramAddress {
  int channel = 0;
  int bank = 0;  // (rank * bank groups + bank group) * banks + bank
  std::int32_t row = 0;
  bool operator==(const DramAddress&) const = default;
};

class AddressMap {
 public:
  // `interleave_bytes`: 0, or consecutive pieces of that size go round the channels and the mapping's ch is left out.
  // Throws bad_input HDL-MEM-03 for a mapping that cannot be read or names a field twice or not at all.
  // `hash`: the channel is permuted by all bits above it (folded by exclusive or), so that rows of a matrix whose
  // stride is a power of two do not all meet the same few channels.
  AddressMap(const std::string& mapping, std::int64_t interleave_bytes, const DramSetup& setup, bool hash = false,
             bool turned = false);

  DramAddress decode(std::uint64_t burst) const;
  // Bursts from `burst` on that lie in its row one after the other, as far as the lowest fields tell.
  std::uint64_t contiguous(std::uint64_t burst) const { return run_ - (burst & (run_ - 1)); }
  // Number of the aligned piece of contiguous bursts that `burst` lies in: all of it in one row.
  std::uint64_t run_of(std::uint64_t burst) const { return burst >> run_shift_; }
  int burst_shift() const { return burst_shift_; }
  // Bursts from one bank group's to the next's; 0 where there is one group.
  std::uint64_t bank_group_unit() const { return bank_group_unit_; }

 private:
  enum Field : std::uint8_t { ro, ra, bg, ba, ch, co };
  struct Part {  // from the least significant on
    Field field;
    std::uint64_t count;  // 0: takes the rest
    int width;            // log2 of count
    int shift;            // bits below, as long as all counts below are powers of two
    int place;            // bits of the same field below this part
  };
  DramAddress decode_by_division(std::uint64_t burst) const;
  int permuted(std::uint64_t channel, std::uint64_t above) const;
  int burst_shift_ = 0;
  std::uint64_t run_ = 1;  // power of two
  int run_shift_ = 0;
  std::uint64_t interleave_bursts_ = 0, channels_ = 1;
  int interleave_shift_ = 0;
  int ba_bits_ = 0, bg_bits_ = 0, row_shift_ = 0, channel_shift_ = 0;
  bool powers_of_two_ = true;
  bool hash_ = false;
  bool turned_ = false;             // each group of bits is turned by one more than the one below it
  std::uint64_t channel_unit_ = 1;  // bursts below the channel's bits
  std::uint64_t bank_group_unit_ = 0;
  std::vector<Part> parts_;
  // The flat bank where counts are powers of two: bits of the burst's number, each run of them at once.
  struct Bits {
    std::uint64_t mask;
    int shift, place;
  };
  std::vector<Bits> bank_bits_;
  void find_bank_bits();
};

}  // namespace heddle::memory
