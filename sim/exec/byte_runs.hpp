// SPDX-License-Identifier: Apache-2.0
// The bytes of a view as runs, exactly.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include "isa/base/dtype.hpp"
#include "isa/image/view.hpp"

namespace heddle::exec {

// A non-empty view as runs of consecutive bytes, at all combinations of up to four byte strides, made non-negative.
struct ByteRuns {
  std::int64_t begin = 0;   // lowest byte of all
  std::int64_t length = 0;  // of one run
  std::int64_t end = 0;     // one past the highest byte
  int rank = 0;
  std::array<std::int64_t, 4> count{};
  std::array<std::int64_t, 4> stride{};  // bytes, > 0

  explicit ByteRuns(const isa::ViewShape& v) {
    const std::int64_t bits = heddle::bits(v.dtype);
    begin = static_cast<std::int64_t>(v.base);
    length = bits >= 8 ? bits / 8 : 1;
    std::array<std::pair<std::int64_t, std::int64_t>, 4> dims{};  // stride, count
    int n = 0;
    for (int d = 0; d < v.rank; ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (v.size[i] == 1 || v.stride[i] == 0) continue;
      const std::int64_t times = v.size[i];
      if (bits == 4 && d == v.rank - 1) {  // packed nibbles
        length = (times + 1) / 2;
        continue;
      }
      std::int64_t step = v.stride[i] * bits / 8;
      if (step < 0) {
        begin += step * (times - 1);
        step = -step;
      }
      dims[static_cast<std::size_t>(n++)] = {step, times};
    }
    for (int i = 1; i < n; ++i)  // by rising stride; at most four
      for (int j = i; j > 0 && dims[static_cast<std::size_t>(j)] < dims[static_cast<std::size_t>(j - 1)]; --j)
        std::swap(dims[static_cast<std::size_t>(j)], dims[static_cast<std::size_t>(j - 1)]);
    for (int d = 0; d < n; ++d) {
      const auto [step, times] = dims[static_cast<std::size_t>(d)];
      if (rank == 0 && step <= length) {  // consecutive (or overlapping itself): one longer run
        length += step * (times - 1);
      } else {
        stride[static_cast<std::size_t>(rank)] = step;
        count[static_cast<std::size_t>(rank++)] = times;
      }
    }
    end = begin + length;
    for (int d = 0; d < rank; ++d)
      end += stride[static_cast<std::size_t>(d)] * (count[static_cast<std::size_t>(d)] - 1);
  }

  std::int64_t stride_gcd(std::int64_t g) const {
    for (int d = 0; d < rank; ++d) g = std::gcd(g, stride[static_cast<std::size_t>(d)]);
    return g;
  }

  template <class F>
  void for_each(F&& f) const {
    std::array<std::int64_t, 4> n{1, 1, 1, 1};
    for (int d = 0; d < rank; ++d) n[static_cast<std::size_t>(d)] = count[static_cast<std::size_t>(d)];
    for (std::int64_t i3 = 0; i3 < n[3]; ++i3)
      for (std::int64_t i2 = 0; i2 < n[2]; ++i2)
        for (std::int64_t i1 = 0; i1 < n[1]; ++i1)
          for (std::int64_t i0 = 0; i0 < n[0]; ++i0)
            f(begin + i0 * stride[0] + i1 * stride[1] + i2 * stride[2] + i3 * stride[3]);
  }
};

}  // namespace heddle::exec
