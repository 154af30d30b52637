// SPDX-License-Identifier: Apache-2.0
// Programs that are wrong in one place: an image with one wait, post, fence or slot offset dropped or weakened, a wait
// one instruction late, a post one instruction early, or all waits and posts of one semaphore gone.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "isa/image/image.hpp"

namespace heddle::mutation {

struct Mutant {
  std::string what;                                                 // "instruction 12: wait0 dropped"
  std::vector<std::pair<std::uint32_t, isa::Instruction>> changes;  // in place of the one at that index
};

// All of them, in program order.
std::vector<Mutant> mutants_of(const isa::ProgramImage& image);

isa::ProgramImage apply(const isa::ProgramImage& image, const Mutant& mutant);

}  // namespace heddle::mutation
