// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sim/exec/byte_runs.hpp"
#include "sim/exec/dims.hpp"

namespace heddle::exec {
bool touch_common_byte(const isa::ViewShape& a, const isa::ViewShape& b) {
  const ByteRuns x(a);
  const ByteRuns y(b);
  if (x.end <= y.begin || y.end <= x.begin) return false;
  if (x.rank == 0 && y.rank == 0) return true;
  // All runs of a view begin at one place modulo the strides' common divisor: two views that keep apart there never
  // meet.
  const std::int64_t g = y.stride_gcd(x.stride_gcd(0));
  if (x.length <= g && y.length <= g) {
    const std::int64_t delta = ((y.begin - x.begin) % g + g) % g;
    if (delta >= x.length && delta + y.length <= g) return false;
  }
  std::vector<std::int64_t> begins;
  x.for_each([&](std::int64_t at) { begins.push_back(at); });
  std::sort(begins.begin(), begins.end());
  bool common = false;
  y.for_each([&](std::int64_t at) {
    if (common) return;
    // The last run of x that begins before this one ends.
    const auto it = std::lower_bound(begins.begin(), begins.end(), at + y.length);
    common = it != begins.begin() && *std::prev(it) + x.length > at;
  });
  return common;
}

}  // namespace heddle::exec
