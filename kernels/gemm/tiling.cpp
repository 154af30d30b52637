// SPDX-License-Identifier: Apache-2.0
// Which tiles: an estimate of the time that each candidate takes, and the least of them.
#include <algorithm>

#include "kernels/common/round.hpp"
#include "kernels/gemm/gemm.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

// A step is unrolled, and what the views of its parts take of the view registers has to find room.
constexpr std::int64_t most_parts = 8, most_depths = 16;

struct Problem {
  const Target& target;
  std::int64_t m, k, n;
  DType dtype;
  TilingOptions options;
};

// A multiple of `unit` that cuts `whole` evenly, up to twice `wanted` or down to a quarter of it; else `wanted`.
std::int64_t even_part(std::int64_t whole, std::int64_t wanted, std::int64_t unit) {
  for (std::int64_t part = wanted; part <= 2 * wanted; part += unit)
    if (whole % part == 0) return part;
  for (std::int64_t part = wanted; part * 4 >= wanted && part > 0; part -= unit)
    if (whole % part == 0) return part;
  return wanted;
}

// Depth of a step: what a core's part of the memory brings in half a microsecond, in runs of a kilobyte where k lies
// along the rows of B.
std::int64_t depth_of_step(const Problem& p, const GemmTiling& t) {
  const std::int64_t rows = p.target.mxu_rows;
  const std::int64_t bytes =
      std::max<std::int64_t>(16 << 10, p.target.hbm_bytes_per_second / p.target.cores / 2'000'000);
  const std::int64_t columns = t.n * p.options.matrices + (t.resident ? 0 : t.m);
  std::int64_t depth = up(std::max<std::int64_t>(1, bytes / bytes_of(p.dtype, columns)), rows);
  if (p.options.b_transposed) depth = std::max(depth, up(8192 / bits(p.dtype), rows));
  depth = std::min(depth, most_depths * rows);
  return depth >= p.k ? p.k : std::min(even_part(p.k, depth, rows), most_depths * rows);
}

std::int64_t spm_bytes(const Problem& p, const GemmTiling& t) {
  const std::int64_t b = bytes_of(p.dtype, t.n * t.k) * p.options.matrices, tile = t.m * t.n * p.options.epilogue_bytes;
  const std::int64_t a = bytes_of(p.dtype, t.m * (t.resident ? p.k * t.panels : t.k * gemm_slots));
  return a + b * gemm_slots + tile + 4 * t.n * 4;
}

std::int64_t acc_bytes(const Problem& p, const GemmTiling& t) {
  return t.m * t.n * 4 * t.accumulators * p.options.matrices;
}

// Estimated cycles of the core that has most to do.
double estimate(const Problem& p, const GemmTiling& t) {
  const Target& x = p.target;
  const auto d = [](std::int64_t v) { return static_cast<double>(v); };
  const double rate = x.macs_per_cycle[static_cast<std::size_t>(p.dtype)] / d(x.mxu_rows * x.mxu_cols * x.mxu_count);
  const double bandwidth = 0.78 * d(x.hbm_bytes_per_second) / d(x.cores) / d(x.clock_hz);  // what DRAM gives
  const double element = d(bits(p.dtype)) / 8, result = is_float(p.dtype) ? element : 4;
  // A run of bytes costs the memory and the DMA engine what some more bytes would.
  const auto moved = [&](std::int64_t lines, double line) { return d(lines) * (line + 96) / bandwidth; };

  const std::int64_t stripes = ceil_of(ceil_of(t.n, x.mxu_cols), x.mxu_count) * p.options.matrices;
  const std::int64_t tiles = ceil_of(std::min(t.panel_n, p.n), t.n);
  const std::int64_t jobs = ceil_of(ceil_of(p.m, t.m) * ceil_of(p.n, t.panel_n), x.cores);
  const double stream = d(stripes * ceil_of(p.k, x.mxu_rows)) * (d(std::max<std::int64_t>(t.m, x.mxu_rows)) / rate + 4);
  const double drain = d(x.mxu_rows + x.mxu_cols) + d(t.m * t.n * p.options.matrices) / d(x.vpu_lanes * x.vpu_sublanes);
  const double compute = stream + (t.accumulators == 1 ? drain : 0);
  const double a = t.resident ? moved(t.m, d(p.k) * element) : moved(t.m * ceil_of(p.k, t.k), d(t.k) * element);
  const double b = d(p.options.matrices) * (p.options.b_transposed ? moved(t.n * ceil_of(p.k, t.k), d(t.k) * element)
                                                                   : moved(p.k, d(t.n) * element));
  const double c = moved(t.m, d(t.n) * result);
  const double memory = t.resident ? a + d(tiles) * (b + c) : d(tiles) * (a + b + c);
  const double first = t.resident ? a + b / d(ceil_of(p.k, t.k)) : (a + b) / d(ceil_of(p.k, t.k));
  // Neither hides wholly behind the other.
  const double job = std::max(compute * d(tiles), memory) + 0.1 * std::min(compute * d(tiles), memory);
  // The last tile is stored by one engine, with nothing left beside it.
  return d(jobs) * job + first + drain + 2 * c;
}

}  // namespace

bool fits(const Target& target, std::int64_t k, DType dtype, const TilingOptions& options, const GemmTiling& t) {
  const Problem p{target, t.m, k, t.n, dtype, options};
  return acc_bytes(p, t) <= target.acc_bytes && spm_bytes(p, t) <= target.spm_bytes;
}

GemmTiling choose_tiling(const Target& target, std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
                         const TilingOptions& options) {
  // A size that only the launch knows has no end: tiles as for a large one.
  const Problem p{target, std::min<std::int64_t>(m, 1 << 16), k, n, dtype, options};
  GemmTiling best;
  double least = 0;
  const auto consider = [&](GemmTiling t) {
    t.k = depth_of_step(p, t);
    while (t.k > target.mxu_rows && !fits(target, k, dtype, options, t)) t.k = up(t.k / 2, target.mxu_rows);
    if (t.resident) t.panels = ceil_of(ceil_of(p.m, t.m) * ceil_of(n, t.panel_n), target.cores) == 1 ? 1 : 2;
    if (!fits(target, k, dtype, options, t)) return;
    const double cycles = estimate(p, t);
    if (least == 0 || cycles < least) best = t, least = cycles;
  };
  for (std::int64_t rows = p.m;;) {
    GemmTiling t;
    t.m = rows;
    for (std::int64_t stripes = 1; stripes * options.matrices <= most_parts; ++stripes) {
      t.n = std::min(n, target.mxu_cols * stripes);
      for (t.accumulators = 1; t.accumulators <= 2; ++t.accumulators) {
        t.resident = false;
        t.panel_n = t.n;
        consider(t);
        if (!options.resident) continue;
        t.resident = true;
        for (std::int64_t parts = 1; parts <= target.cores; ++parts) {
          t.panel_n = up(ceil_of(n, parts), t.n);
          consider(t);
        }
      }
      if (t.n == n) break;
    }
    if (rows <= 8) return best;
    rows = up(ceil_of(p.m, ceil_of(p.m, rows - 8)), 8);  // the next smaller size that cuts m evenly
  }
}

}  // namespace heddle::kernels
