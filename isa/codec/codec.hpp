// SPDX-License-Identifier: Apache-2.0
// Between decoded instructions and 128-bit words, by the table alone.
#pragma once
#include <array>
#include <cstdint>

#include "isa/def/instructions.hpp"

namespace heddle::isa {

// Two little-endian halves: bits 0..63 and 64..127.
struct Word {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  friend constexpr bool operator==(const Word&, const Word&) = default;
};

// The values that the field can hold: as an unsigned or a two's complement number of its width.
struct FieldRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
FieldRange range_of(const Field& field);

// Throws HDL-ISA-02 when a value does not fit its field, or a field that the format lacks is not zero.
Word encode(const Instruction& instruction);

// Throws HDL-ISA-01 on an unknown opcode, HDL-ISA-03 on a set reserved bit, HDL-ISA-04 on an enum value without a name,
// HDL-ISA-05 on a semaphore number beside a count of zero.
Instruction decode(Word word);

}  // namespace heddle::isa
