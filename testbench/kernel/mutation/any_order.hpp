// SPDX-License-Identifier: Apache-2.0
// A program's values under an order of the engines drawn from a seed: one of those that queues and semaphores allow,
// time aside. What the checkers are held against; it knows nothing of them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "isa/image/image.hpp"
#include "sim/config/chip_spec.hpp"

namespace heddle::mutation {

struct Placed {
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;  // before the launch; of an output: zeros
  bool output = false;
};

// The outputs' bytes in a row; or, where the run did not end well, how: "deadlock", "s4 left", an error's id, "no end".
std::string run_in_order(const config::ChipSpec& chip, const isa::ProgramImage& image,
                         const std::vector<Placed>& tensors, const std::vector<std::uint64_t>& arguments,
                         std::uint64_t seed);

}  // namespace heddle::mutation
