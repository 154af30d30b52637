// SPDX-License-Identifier: Apache-2.0
// Names of allocations and parts of them, as the dependency analysis sees memory.
#pragma once
#include <array>
#include <cstdint>

#include "isa/image/view.hpp"

namespace heddle::sdk {

// Number of an allocation in the recorded program.
using BufferId = std::uint32_t;
using PipeId = std::uint32_t;

// A part of an allocation: one half-open range a root dimension (of bytes or elements, the same for all parts of one);
// the whole range where only the run knows. Parts that do not meet in one dimension do not meet.
struct Region {
  int rank = 0;
  std::array<std::int64_t, isa::max_rank> begin{};
  std::array<std::int64_t, isa::max_rank> end{};
};

}  // namespace heddle::sdk
