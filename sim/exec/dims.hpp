// SPDX-License-Identifier: Apache-2.0
// A view's sizes and strides seen from the last dimension, so that views of unlike rank line up: absent dimensions
// stand on the left with size 1 and stride 0.
#pragma once
#include <array>
#include <cstdint>

#include "isa/image/view.hpp"

namespace heddle::exec {

struct Dims {
  std::array<std::uint32_t, 4> size{1, 1, 1, 1};
  std::array<std::int64_t, 4> stride{};

  explicit Dims(const isa::ViewShape& v) {
    if (v.rank == 2) {  // nearly always
      size = {1, 1, v.size[0], v.size[1]};
      stride = {0, 0, v.stride[0], v.stride[1]};
      return;
    }
    for (int d = 0, to = 4 - v.rank; d < v.rank; ++d, ++to) {
      size[static_cast<std::size_t>(to)] = v.size[static_cast<std::size_t>(d)];
      stride[static_cast<std::size_t>(to)] = v.stride[static_cast<std::size_t>(d)];
    }
  }
  bool empty() const { return size[0] == 0 || size[1] == 0 || size[2] == 0 || size[3] == 0; }
};

// Whose memory a view of an instruction issued by (chip, core) lies in.
struct Place {
  isa::Space space;
  std::uint32_t chip;
  std::uint32_t core;  // 0 for HBM
  friend bool operator==(const Place&, const Place&) = default;
};
inline Place place_of(const isa::View& v, std::uint32_t chip, std::uint32_t core) {
  const bool hbm = v.space == isa::Space::hbm;
  if (v.remote) return {v.space, v.chip, hbm ? 0 : v.core};
  return {v.space, chip, hbm ? 0 : core};
}

// True when two non-empty, in-bounds views of one space touch a common byte. Exact; costs a few divisions where the
// outer strides agree (sub-blocks of one matrix), a sort of the runs otherwise.
bool touch_common_byte(const isa::ViewShape& a, const isa::ViewShape& b);

}  // namespace heddle::exec
