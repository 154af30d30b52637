// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/gemm/gemm.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

std::int64_t up(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

GemmTiling choose_tiling(const Target& target, std::int64_t m, std::int64_t k, std::int64_t n, DType dtype, int sums) {
  const std::int64_t rows = target.mxu_rows, cols = target.mxu_cols;
  GemmTiling t;
  // Columns: all arrays side by side, but no more than a core's share when there is little to share.
  const std::int64_t share = up((n + target.cores - 1) / target.cores, cols);
  // Rows: a load of `rows` rows hides behind as many streamed ones; more rows reuse a fetched B more often.
  t.m = std::min<std::int64_t>(m, 16 * rows);
  const std::int64_t acc_elements = target.acc_bytes / 4 / t.accumulators / sums;
  while (t.m > rows && t.m * cols * target.mxu_count > acc_elements) t.m = up(t.m / 2, 8);
  t.n = std::min(share, std::max(cols, acc_elements / t.m / cols * cols));
  t.n = std::min(t.n, cols * target.mxu_count * 4);
  t.n = std::min(t.n, n);
  // Depth of a step: as much as the scratchpad's half holds in two slots of both operands.
  const std::int64_t step_bytes = target.spm_bytes / 2 / t.slots;
  const std::int64_t per_k = std::max<std::int64_t>(1, bytes_of(dtype, t.m + sums * t.n));
  t.k = std::clamp(step_bytes / per_k / rows * rows, rows, up(k, rows));
  t.k = std::min(t.k, 16 * rows);
  t.k = std::min(t.k, k);
  return t;
}

}  // namespace heddle::kernels
