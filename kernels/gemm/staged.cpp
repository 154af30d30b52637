// SPDX-License-Identifier: Apache-2.0
// Plan, as an operator compiler's whose unit is one product (XLA places the operands of a matrix product in a TPU's
// vector memory as a whole where they fit, by copies that end before the product begins): the weights B, then A, are
// copied into the scratchpad as long as they fit what is set aside for that; then tile of C by tile of C is summed over
// all of k and stored while the next one fills. An A that does not fit passes by in panels of rows. Where B does not
// fit, blocks of both stream by for each tile of C. Nothing is computed while the copies run: kernels written by hand
// (gemm.cpp) do better, and this is what the machine's own software shows.
#include "kernels/gemm/staged.hpp"
#include "kernels/common/round.hpp"

#include <algorithm>

#include "kernels/common/share.hpp"
#include "kernels/gemm/operands.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr std::int64_t unit = 8;         // rows of a tile come in multiples of it
constexpr std::int64_t most_parts = 16;  // of B that a step puts into the arrays: a step is unrolled

// Cuts `whole` into as few parts of at most `most` as there must be, all alike but the last, in multiples of `unit`.
std::int64_t even_part(std::int64_t whole, std::int64_t most, std::int64_t multiple) {
  return std::min(whole, up(ceil_of(whole, ceil_of(whole, most)), multiple));
}

// The largest multiple of the array's height up to `most` of them that divides k, else `most` of them.
std::int64_t step_of(std::int64_t k, std::int64_t rows, std::int64_t most) {
  for (std::int64_t parts = most; parts > 1; --parts)
    if (k % (parts * rows) == 0) return parts * rows;
  return std::min(k, most * rows);
}

// Elements from one row to the next in the scratchpad: an odd number of bank words, so that the rows of a column of
// parts lie in different banks.
std::int64_t pitch(const Target& target, DType dtype, std::int64_t columns) {
  const std::int64_t word = target.spm_width_bytes * 8 / bits(dtype), words = ceil_of(columns, word);
  return words == 1 ? columns : (words | 1) * word;
}

// A matrix to the scratchpad, a part of its rows through each engine.
Spm load_whole(KernelBuilder& k, const Tensor& x, int engines) {
  const std::int64_t rows = x.extent(0).capacity, columns = x.extent(1).capacity, part = ceil_of(rows, engines);
  const Spm to = k.spm({rows, pitch(k.target(), x.dtype(), columns)}, x.dtype()).cols(0, columns);
  int engine = 0;
  for (std::int64_t begin = 0; begin < rows; begin += part) {
    const std::int64_t n = std::min(part, rows - begin);
    k.load(to.rows(begin, n), x.slice(0, begin, n), on_dma(engine++));
  }
  return to;
}

}  // namespace

namespace {

// Elements of a tile of sums, and what else limits it.
struct Limits {
  std::int64_t elements, widest, stripe;  // stripe: all arrays side by side
};
Limits limits_of(const Target& target, const GemmTiling& t) {
  return {target.acc_bytes / 4 / t.accumulators, most_parts * target.mxu_cols, target.mxu_cols * target.mxu_count};
}

// The product of a tile. Columns that would be left to one array alone are a product of their own: all arrays then take
// a part of its rows.
void multiply_evenly(KernelBuilder& k, const Acc& sum, const Spm& a, const Spm& b, bool b_transposed, Mode mode) {
  const std::int64_t cols = k.target().mxu_cols, n = sum.capacity(1), before = (ceil_of(n, cols) - 1) * cols;
  if (before == 0 || !sum.extent(1).is_static() || ceil_of(n, cols) % k.target().mxu_count != 1)
    return multiply(k, sum, a, b, b_transposed, mode);
  const auto part = [&](std::int64_t begin, std::int64_t count) {
    multiply(k, sum.cols(begin, count), a, b_transposed ? b.rows(begin, count) : b.cols(begin, count), b_transposed,
             mode);
  };
  part(0, before);
  part(before, n - before);
}

// B rests: tiles as wide as they can be, so that C is stored in long runs.
void choose_resting(StagedPlan& p, const Target& target, const GemmArgs& g) {
  GemmTiling& t = p.tiling;
  const DType dtype = g.a.dtype();
  const std::int64_t m = g.a.extent(0).capacity, k = g.a.extent(1).capacity, n = g.c.extent(1).capacity;
  const Limits most = limits_of(target, t);
  t.n = even_part(n, most.widest, most.stripe);
  t.m = even_part(m, std::max(unit, most.elements / t.n), unit);
  for (std::int64_t rows = t.m; rows * 2 > t.m; rows -= unit)
    if (m % rows == 0) {  // no ragged last one
      t.m = rows;
      break;
    }
  const std::int64_t held = g.b_transposed ? n * pitch(target, dtype, k) : k * pitch(target, dtype, n);
  const std::int64_t room =
      target.spm_bytes - bytes_of(dtype, held) - t.m * t.n * epilogue_bytes(epilogue_of(g), g.c.dtype());
  p.a = bytes_of(dtype, m * k) <= target.stage_bytes && bytes_of(dtype, m * pitch(target, dtype, k)) <= room;
  while (!p.a && t.m > unit && 2 * bytes_of(dtype, t.m * k) > room) t.m = even_part(m, t.m / 2, unit);
  p.b = p.a || 2 * bytes_of(dtype, t.m * k) <= room;
  t.k = step_of(k, target.mxu_rows, std::clamp<std::int64_t>(most_parts / ceil_of(t.n, target.mxu_cols), 1, 4));
}

// A rests and B streams by, as wide as it can be. False where A is too large, or all of k of two blocks of B beside it.
bool choose_resting_rows(StagedPlan& p, const Target& target, const GemmArgs& g) {
  GemmTiling& t = p.tiling;
  const DType dtype = g.a.dtype();
  const std::int64_t m = g.a.extent(0).capacity, k = g.a.extent(1).capacity, n = g.c.extent(1).capacity;
  const Limits most = limits_of(target, t);
  if (m < fewest_rows || bytes_of(dtype, m * k) > target.stage_bytes) return false;
  for (std::int64_t wide = most.widest; wide >= most.stripe; wide -= most.stripe) {
    t.n = even_part(n, wide, most.stripe);
    t.m = even_part(m, std::max(unit, most.elements / t.n), unit);
    t.k = k;
    const std::int64_t a = bytes_of(dtype, m * pitch(target, dtype, k)), b = 2 * bytes_of(dtype, k * t.n);
    if (a + b + t.m * t.n * epilogue_bytes(epilogue_of(g), g.c.dtype()) <= target.spm_bytes) return true;
  }
  return false;
}

// Both stream by: tiles such that the least is read again.
void choose_streaming(StagedPlan& p, const Target& target, const GemmArgs& g) {
  GemmTiling& t = p.tiling;
  const std::int64_t m = g.a.extent(0).capacity, k = g.a.extent(1).capacity, n = g.c.extent(1).capacity;
  const Limits most = limits_of(target, t);
  std::int64_t least = -1;
  for (std::int64_t parts = 1; parts <= 64; ++parts) {
    const std::int64_t tm = even_part(m, ceil_of(m, parts), unit), fit = most.elements / tm / most.stripe * most.stripe;
    if (fit == 0) continue;
    const std::int64_t tn = even_part(n, std::min(fit, most.widest), most.stripe);
    const std::int64_t read = ceil_of(n, tn) * m * k + ceil_of(m, tm) * k * n;
    if (least < 0 || read < least) t.m = tm, t.n = tn, least = read;
  }
  const std::int64_t tile_bytes = epilogue_bytes(epilogue_of(g), g.c.dtype());
  // All of k at once where two such steps fit: then no tile waits for its own loads.
  if (2 * bytes_of(g.a.dtype(), k * (t.m + t.n)) + t.m * t.n * tile_bytes <= target.spm_bytes) {
    t.k = k;
    return;
  }
  for (std::int64_t parts = 4;; parts > 1 ? parts /= 2 : t.n = up(t.n / 2, target.mxu_cols)) {
    t.k = step_of(k, target.mxu_rows, parts);
    const std::int64_t bytes = gemm_slots * bytes_of(g.a.dtype(), t.k * (t.m + t.n)) + t.m * t.n * tile_bytes;
    if (bytes <= target.spm_bytes || (parts == 1 && t.n <= target.mxu_cols)) break;
  }
}

}  // namespace

StagedPlan plan_staged(const Target& target, const GemmArgs& g) {
  StagedPlan p;
  const Extent& rows = g.a.extent(0);
  p.applies = target.stage_bytes > 0 && rows.is_static();
  if (!p.applies) return p;
  p.tiling.resident = false;
  p.b = rows.capacity >= fewest_rows &&
        bytes_of(g.a.dtype(), g.a.extent(1).capacity * g.c.extent(1).capacity) <= target.stage_bytes;
  if (p.b) choose_resting(p, target, g);
  if (!p.b) p.a = choose_resting_rows(p, target, g);
  if (!p.b && !p.a) choose_streaming(p, target, g);
  return p;
}

void streamed_gemm(KernelBuilder& k, const GemmArgs& g, const StagedPlan& plan) {
  const GemmTiling& t = plan.tiling;
  const auto scope = k.kernel("gemm");
  // All engines but that of the stores share each step.
  const int engines = std::max(1, k.target().dma_engines - 1), for_a = std::max(1, engines / 2);
  const std::int64_t rows = k.target().mxu_rows;
  const TileGrid tiles = g.c.tiled(t.m, t.n);
  const auto add_up = [&](const Acc& sum, const Spm& a, const Spm& b, const Scalar& step) {
    k.loop(ceil_div(a.size(1), rows), [&](Scalar i) {
      const Extent n = a.extent(1).is_static() && a.capacity(1) % rows == 0
                           ? Extent(rows)
                           : up_to(min(a.size(1) - i * rows, rows), std::min(rows, a.capacity(1)));
      multiply(k, sum, a.cols(i * rows, n), g.b_transposed ? b.cols(i * rows, n) : b.rows(i * rows, n), g.b_transposed,
               overwrite_if(step + i == 0));
    });
  };
  const auto tile_of_c = [&](const Tensor& c, const Spm& a, const Spm& b) {
    const Finish finish = epilogue_of(g).begin(k, c);
    const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()), depth(t.accumulators));
    add_up(sum, a, b, 0);
    finish(sum);
  };
  if (plan.a) {  // a step is a block of columns: B passes once
    const Spm a = load_whole(k, g.a, engines);
    k.fence();
    const TileGrid columns = g.c.tiled(g.c.extent(0).capacity, t.n);
    const Share mine(k, columns.count());
    const In b_of_columns =
        in([&](Scalar i) { return blocks_of_b(g.b, g.b_transposed, columns[mine.piece(i)], t.k)[0]; });
    k.pipeline<2>(mine.steps(), b_of_columns.split(std::max(1, engines - for_a)), [&](Spm b, Step i) {
      const TileGrid rows_of_c = columns[mine.piece(i)].tiled(t.m, t.n);
      k.loop(rows_of_c.count(), [&](Scalar j) {
        const Tensor c = rows_of_c[j];
        tile_of_c(c, a.rows(c.begin(0), c.extent(0)), b);
      });
    });
    return;
  }
  if (t.k == g.a.extent(1).capacity) {  // a step is a tile: loads run ahead from tile to tile
    const Share mine(k, tiles.count());
    const In a_of_tile = in([&](Scalar i) {
      const Tensor c = tiles[mine.piece(i)];
      return g.a.slice(0, c.begin(0), c.extent(0));
    });
    const In b_of_tile = in([&](Scalar i) { return blocks_of_b(g.b, g.b_transposed, tiles[mine.piece(i)], t.k)[0]; });
    k.pipeline<2>(mine.steps(), a_of_tile.split(for_a), b_of_tile.split(std::max(1, engines - for_a)),
                  [&](Spm a, Spm b, Step i) { tile_of_c(tiles[mine.piece(i)], a, b); });
    return;
  }
  k.for_each_tile(tiles, [&](const Tensor& c) {
    const Finish finish = epilogue_of(g).begin(k, c);
    const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()), depth(t.accumulators));
    k.pipeline<gemm_slots>(in(g.a.row_block(c, t.k)).split(for_a),
                           in(blocks_of_b(g.b, g.b_transposed, c, t.k)).split(std::max(1, engines - for_a)),
                           [&](Spm a, Spm b, Step s) { add_up(sum, a, b, s.index()); });
    finish(sum);
  });
}

void staged_gemm(KernelBuilder& k, const GemmArgs& g, const StagedPlan& plan) {
  if (!plan.b) return streamed_gemm(k, g, plan);
  const auto scope = k.kernel("gemm");
  const GemmTiling& t = plan.tiling;
  const std::int64_t depth_of_k = g.a.extent(1).capacity;
  const int engines = std::max(1, k.target().dma_engines - 1);
  const Spm b = load_whole(k, g.b, engines);
  const Scalar steps = ceil_of(depth_of_k, t.k);
  const auto tile = [&](const Tensor& c, const Spm& a, const Scalar& first_row) {
    const Finish finish = epilogue_of(g).begin(k, c);
    const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()), depth(t.accumulators));
    k.loop(steps, [&](Scalar i) {
      const Scalar begin = i * t.k;
      const Extent n = depth_of_k % t.k == 0 ? Extent(t.k) : up_to(min(depth_of_k - begin, t.k), t.k);
      const Spm a_part = a.rows(first_row, c.extent(0)).cols(begin, n);
      const Spm b_part = g.b_transposed ? b.rows(c.begin(1), c.extent(1)).cols(begin, n)
                                        : b.rows(begin, n).cols(c.begin(1), c.extent(1));
      multiply_evenly(k, sum, a_part, b_part, g.b_transposed, overwrite_if(i == 0));
    });
    finish(sum);
  };
  if (plan.a) {
    const Spm a = load_whole(k, g.a, engines);
    k.fence();
    k.for_each_tile(g.c.tiled(t.m, t.n), [&](const Tensor& c) { tile(c, a, c.begin(0)); });
    return;
  }
  k.fence();
  const TileGrid panels = g.c.tiled(t.m, g.c.extent(1).capacity);
  const Share mine(k, panels.count());
  const In rows = in([&](Scalar i) {
                    const Tensor c = panels[mine.piece(i)];
                    return g.a.slice(0, c.begin(0), c.extent(0));
                  }).split(std::min(2, engines));
  k.pipeline<2>(mine.steps(), rows, [&](Spm a, Step i) {
    const TileGrid tiles = panels[mine.piece(i)].tiled(t.m, t.n);
    k.loop(tiles.count(), [&](Scalar j) { tile(tiles[j], a, 0); });
  });
}

}  // namespace heddle::kernels
