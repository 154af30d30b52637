// SPDX-License-Identifier: Apache-2.0
// From a chip's YAML description to the ChipSpec that everything else is built from, and back.
#pragma once
#include <string>
#include <vector>

#include "sim/config/chip_spec.hpp"

namespace heddle::config {

// Reads a chip. `path_or_preset` is a YAML file or the name of one under configs/chip ("edge", "tpu-v6e"). Each
// override is "key.path=value" with the value written as in the YAML ("core.mxu.rows=128", "clock=1.2GHz"). Throws
// bad_input, with the place, for a file that cannot be read, broken YAML, an unknown or repeated key, a missing key, a
// missing or wrong unit, a value out of range, and values that do not fit together (see check_chip.hpp).
ChipSpec load_chip(const std::string& path_or_preset, const std::vector<std::string>& overrides = {});

// The same without the last check: the numbers are each in range, but may not fit together.
ChipSpec read_chip(const std::string& path_or_preset, const std::vector<std::string>& overrides = {});

// load_chip() from text; `name` becomes the chip's name and `file` the place that errors name.
ChipSpec parse_chip(const std::string& yaml, const std::string& name, const std::string& file,
                    const std::vector<std::string>& overrides = {});

// The chip as YAML with every key written out; parse_chip() of it gives the same ChipSpec.
std::string show_chip(const ChipSpec& chip);

// Names of the presets under configs/chip, sorted.
std::vector<std::string> chip_presets();

// The file that `path_or_preset` means. Throws bad_input, with the nearest preset's name, if there is none.
std::string resolve_chip(const std::string& path_or_preset);

}  // namespace heddle::config
