// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/common/round.hpp"
#include "kernels/gemm/decode.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr std::int64_t unit = 8;  // columns and rows are dealt in multiples of it, where there are enough

// The largest size up to `most` that cuts `whole` evenly, if one is not much smaller; else `most`.
std::int64_t even_step(std::int64_t whole, std::int64_t most) {
  for (std::int64_t s = most; s * 2 > most && s >= unit; s -= unit)
    if (whole % s == 0) return s;
  return most;
}

// Bytes of a step: long enough to hide what a step costs, at most what a core's part of the memory brings in a
// microsecond; short beside the whole, since the last step's matmuls have no transfer left to hide behind.
std::int64_t step_bytes(const Target& target, std::int64_t share_bytes) {
  const std::int64_t most = std::max<std::int64_t>(24 << 10, target.hbm_bytes_per_second / target.cores / 1'000'000);
  return std::clamp<std::int64_t>(share_bytes / 16, 24 << 10, most);
}

}  // namespace

StreamPlan plan_stream(const Target& target, std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
                       bool transposed, int matrices) {
  StreamPlan p;
  p.share = n % (target.cores * unit) == 0 || target.cores == 1 ? n / target.cores
                                                                : ceil_of(ceil_of(n, target.cores), unit) * unit;
  p.engines = std::clamp((target.dma_engines - 1) / matrices, 1, 4);
  // What a step holds besides the weights: a's rows, the sums, the epilogue's tiles (fp32 and narrower, two of each).
  const std::int64_t wanted = step_bytes(target, bytes_of(dtype, p.share * k) * matrices);
  const std::int64_t line = bytes_of(dtype, transposed ? k * matrices : p.share);
  const std::int64_t most = transposed ? std::min<std::int64_t>(target.mxu_cols * target.mxu_count, p.share)
                                       : std::min<std::int64_t>(target.mxu_rows, k);
  const auto room = [&](std::int64_t step) {
    const std::int64_t columns = transposed ? step : p.share;
    p.acc_bytes = m * columns * 4 * (transposed ? 2 * matrices : 1);
    p.spm_bytes = bytes_of(dtype, m * k) + columns * 16 + m * columns * 16 + step * line * stream_slots;
    return p.acc_bytes <= target.acc_bytes && p.spm_bytes <= target.spm_bytes * 7 / 8;
  };
  // A tile that loads faster than the rows before it stream would leave the array waiting; and tiles much narrower than
  // the array cost an instruction for little, so a long stream takes whole ones and a short one halves.
  const std::int64_t wide = std::clamp<std::int64_t>(p.share / 16 / unit * unit, target.mxu_cols / 2, target.mxu_cols);
  const std::int64_t least = std::min(most, transposed ? std::max(ceil_of(m, unit) * unit, wide) : unit);
  p.step = std::clamp(wanted / line / unit * unit, least, most);
  while (p.step > unit && !room(p.step)) p.step -= unit;
  p.step = even_step(transposed ? p.share : k, p.step);
  p.steps = ceil_of(transposed ? p.share : k, p.step);
  // More rows than an array streams while it loads the next tile make the product compute-bound.
  p.fits = room(p.step) && m <= target.mxu_rows && (transposed || matrices == 1);
  // A step is unrolled, one part of its columns after the other; parts of which only the run knows the size each take
  // a view register.
  const std::int64_t parts = p.share * target.cores == n ? 64 : 12;
  if (!transposed && p.share > parts * target.mxu_cols) p.fits = false;
  return p;
}

}  // namespace heddle::kernels
