// SPDX-License-Identifier: Apache-2.0
// Numbers with units as people write them: "940MHz", "32MiB", "1.64TB/s", "85ns", "80 cycles", "1/4".
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/config/chip_spec.hpp"

namespace heddle::config {

enum class Unit : std::uint8_t { bytes, bytes_per_second, hertz, time, cycles, none };

// Exact decimal arithmetic throughout: a value that is not a whole number of the base unit (byte, byte a second, hertz,
// femtosecond, cycle) is refused, never rounded. The functions throw bad_input without a place; the loader adds it.
//
// parse_quantity("1.5KiB", Unit::bytes) == 1536. Bytes take B, kB, MB, GB, TB (powers of 1000) and KiB, MiB, GiB, TiB;
// rates the same with "/s"; frequencies Hz, kHz, MHz, GHz; times fs, ps, ns, us, ms, s. A bare number is an error
// ('"85" needs a unit, such as 85ns') except for cycles and for Unit::none, and for a zero of any unit.
// Time given in cycles and cycles given as a time are converted with clock_hz (0: then refused); a time that is not a
// whole number of cycles counts as the next whole one.
std::int64_t parse_quantity(std::string_view text, Unit unit, std::int64_t clock_hz = 0);

// The shortest text that parse_quantity() turns back into exactly `value`: 1536 bytes is "1536B", 2048 is "2KiB".
std::string format_quantity(std::int64_t value, Unit unit);

// "1/4", "0.25" or "2", in lowest terms; numerator and denominator at most 2^20. Negative ratios are refused.
Ratio parse_ratio(std::string_view text);
std::string format_ratio(Ratio r);

}  // namespace heddle::config
