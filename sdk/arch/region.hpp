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

inline bool meets(const Region& a, const Region& b) {
  for (int d = 0; d < a.rank && d < b.rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (a.begin[i] >= b.end[i] || b.begin[i] >= a.end[i]) return false;
  }
  return true;
}

}  // namespace heddle::sdk
