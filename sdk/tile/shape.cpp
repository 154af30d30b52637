// SPDX-License-Identifier: Apache-2.0
#include "sdk/tile/shape.hpp"

#include <algorithm>

#include "sdk/arch/recorder.hpp"

namespace heddle::sdk {

Shape::Shape(std::initializer_list<Extent> dims, Loc loc) {
  if (dims.size() == 0 || dims.size() > isa::max_rank)
    Recorder::error_at(loc, "HDL-SDK-10", fmt::format("{} dimensions: a tensor or tile has 1 to 4", dims.size()));
  for (const Extent& e : dims) append(e);
}

bool Shape::is_static() const {
  for (int d = 0; d < rank_; ++d)
    if (!(*this)[d].is_static()) return false;
  return true;
}

std::int64_t Shape::capacity() const {
  std::int64_t n = 1;
  for (int d = 0; d < rank_; ++d) n *= (*this)[d].capacity;
  return n;
}

}  // namespace heddle::sdk
