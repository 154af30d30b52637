// SPDX-License-Identifier: Apache-2.0
// An oracle for synchronisation that knows nothing of how the SDK makes it: executes a program's scalar side on one
// core, gives every engine instruction a vector clock from its semaphores, and checks, byte by byte, that conflicting
// accesses by two engines are ordered under every schedule. Programs whose control flow depends on data in SMEM are not
// for it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "isa/image/image.hpp"

namespace heddle::sdk::test {

struct OrderReport {
  std::vector<std::string> races;   // "instruction 12 writes spm[0x40) ... "
  std::vector<std::string> faults;  // a deadlock, a semaphore not zero at the end
  std::uint64_t engine_instructions = 0;
};

// `chip`: a preset's name.
OrderReport check_order(const isa::ProgramImage& image, const std::vector<std::uint64_t>& arguments,
                        const std::string& chip = "edge");

}  // namespace heddle::sdk::test
