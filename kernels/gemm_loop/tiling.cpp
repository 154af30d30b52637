// SPDX-License-Identifier: Apache-2.0
// Which tile: of those that fit, the one whose loads, sums and stores should take the least time.
#include <algorithm>

#include "kernels/common/round.hpp"
#include "kernels/gemm_loop/gemm_loop.hpp"

namespace heddle::kernels {
namespace {

constexpr std::int64_t row_bytes = 64;  // that one request brings

// What a request costs an engine with few of them in flight, in cycles of the array.
constexpr double request_cycles = 6;

double estimate(const sdk::Target& target, const LoopTile& whole, const LoopTile& t) {
  const auto d = [](std::int64_t v) { return static_cast<double>(v); };
  const std::int64_t rows = target.mxu_rows, cols = target.mxu_cols;
  const std::int64_t tiles_m = ceil_of(whole.m, t.m), tiles_n = ceil_of(whole.n, t.n), tiles_k = ceil_of(whole.k, t.k);
  const auto requests = [&](std::int64_t lines, std::int64_t line) { return d(lines) * d(ceil_of(line, row_bytes)); };
  // A tile of A for each tile of columns, a tile of B for each tile of rows.
  const double a = d(tiles_n * tiles_k) * requests(whole.m, std::min(t.k, whole.k));
  const double b = d(tiles_m * tiles_n) * requests(whole.k, std::min(t.n, whole.n));
  const double c = d(tiles_n) * requests(whole.m, std::min(t.n, whole.n));
  const double load = (a + b) * request_cycles;
  // Each block of B passes all rows of its tile; a block of rows takes as long as a block of B.
  const double sums = d(ceil_of(whole.m, rows) * ceil_of(whole.n, cols)) * d(ceil_of(t.k, rows) * tiles_k * rows);
  const double tiles = d(tiles_m * tiles_n * tiles_k);
  const double first = load / tiles, last = c * request_cycles / d(tiles_m * tiles_n);
  return std::max(load, sums) + 0.1 * std::min(load, sums) + first + last + 100 * tiles;
}

}  // namespace

LoopTile choose_loop_tile(const sdk::Target& target, const LoopTile& whole) {
  const std::int64_t m = whole.m, k = whole.k, n = whole.n;
  const std::int64_t rows = target.mxu_rows, cols = target.mxu_cols;
  const std::int64_t sums = target.acc_bytes / 2 / (4 * rows * cols);  // blocks in half of the accumulators
  LoopTile best;
  double least = 0;
  for (std::int64_t i = 1; i <= std::min(sums, ceil_of(m, rows)); ++i)
    for (std::int64_t j = 1; i * j <= sums && j <= ceil_of(n, cols); ++j) {
      const std::int64_t lines = i * rows + j * cols;  // a byte each for every element of depth
      std::int64_t deep = std::min(target.spm_bytes / 2 / lines / rows * rows, ceil_of(k, rows) * rows);
      if (deep < rows) continue;
      deep = std::min(ceil_of(ceil_of(k, ceil_of(k, deep)), rows) * rows, deep);  // tiles of one depth
      const LoopTile t{std::min(i * rows, m), std::min(deep, k), std::min(j * cols, n)};
      const double cycles = estimate(target, whole, t);
      if (least == 0 || cycles < least) best = t, least = cycles;
    }
  return best;
}

LoopTile driver_loop_tile(const sdk::Target& target, const LoopTile& whole) {
  const std::int64_t rows = target.mxu_rows, cols = target.mxu_cols;
  const std::int64_t block_bytes = rows * cols, sums = target.acc_bytes / 2 / (4 * block_bytes);
  const std::int64_t blocks = target.spm_bytes / 2 / block_bytes;
  const LoopTile most{ceil_of(whole.m, rows), ceil_of(whole.k, rows), ceil_of(whole.n, cols)};
  std::int64_t side = 1;
  while ((side + 1) * (side + 1) <= sums) ++side;
  LoopTile t{std::min(most.m, side), std::min(most.k, std::max<std::int64_t>(1, blocks / 2 / side)),
             std::min(most.n, side)};
  const auto grow = [&](std::int64_t LoopTile::*size) {
    LoopTile next = t;
    ++(next.*size);
    if (next.*size > most.*size || next.m * next.n > sums || (next.m + next.n) * next.k > blocks) return false;
    t = next;
    return true;
  };
  for (bool grown = true; grown;) {
    grown = grow(&LoopTile::n);
    grown = grow(&LoopTile::m) || grown;
    grown = grow(&LoopTile::k) || grown;
  }
  return {std::min(t.m * rows, whole.m), std::min(t.k * rows, whole.k), std::min(t.n * cols, whole.n)};
}

}  // namespace heddle::kernels
