// SPDX-License-Identifier: Apache-2.0
// Whether the numbers of a chip fit together; each alone is already in its range.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/config/chip_spec.hpp"

namespace heddle::config {

// What cannot work, one line each ("core.scratchpad.banks is 12; it has to be a power of two"); empty: consistent.
std::vector<std::string> chip_problems(const ChipSpec& chip);

// What works but is probably not meant, such as a network narrower than the memory it serves; for `chip check`.
// `memory_peak` is what the chip's memory model gives at most, in bytes a second.
std::vector<std::string> chip_remarks(const ChipSpec& chip, std::int64_t memory_peak);

}  // namespace heddle::config
