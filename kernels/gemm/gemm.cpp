// SPDX-License-Identifier: Apache-2.0
// Plan: a core takes panels of C. The rows of A that a panel needs stay in the scratchpad (those of the next panel
// arrive meanwhile) and B streams by, tile of C by tile of C: parts of B rest in the arrays while A's rows pass through
// them, the sums stay in the accumulator until k is through, and the vector unit takes them out while the next tile
// begins. Where whole rows of A do not fit, blocks of both stream by.
#include "kernels/gemm/gemm.hpp"

#include <algorithm>

#include "kernels/common/share.hpp"
#include "kernels/gemm/decode.hpp"
#include "kernels/gemm/grid.hpp"
#include "kernels/gemm/operands.hpp"
#include "kernels/gemm/problem.hpp"
#include "kernels/gemm/staged.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

namespace {

// One tile of C: products(sum) adds up what it is made of.
template <class Products>
void tile_of_c(KernelBuilder& k, const GemmArgs& g, const GemmTiling& t, const Tensor& c, Products products) {
  const Finish finish = epilogue_of(g).begin(k, c);
  const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()), depth(t.accumulators));
  products(sum);
  finish(sum);
}

// Whole rows of A stay in the scratchpad, those of this panel of C and of the next; B streams by.
void gemm_of_panels(KernelBuilder& k, const GemmArgs& g, const GemmTiling& t) {
  const TileGrid panels = g.c.tiled(t.m, t.panel_n);
  const Share mine(k, panels.count());
  // Engines share the memory evenly: those of B outnumber those that bring the next panel.
  const int engines = k.target().dma_engines - 1, for_a = std::clamp(engines / 3, 1, 2);
  const int for_b = std::clamp(engines - for_a, 1, 4);
  const In rows = in([&](Scalar i) {
                    const Tensor c = panels[mine.piece(i)];
                    return g.a.slice(0, c.begin(0), c.extent(0));
                  }).split(for_a);
  const auto panel = [&](Spm a, Step i) {
    const TileGrid tiles = panels[mine.piece(i)].tiled(t.m, t.n);
    const auto blocks = [&, tiles](Scalar j) { return blocks_of_b(g.b, g.b_transposed, tiles[j], t.k); };
    if (t.k == g.a.extent(1).capacity) {  // one step a tile: loads run ahead from tile to tile
      const In b_of_tile = in([&](Scalar j) { return blocks(j)[0]; }).split(for_b);
      k.pipeline<gemm_slots>(Steps(tiles.count()), b_of_tile, [&](Spm b, Step j) {
        tile_of_c(k, g, t, tiles[j], [&](const Acc& sum) { multiply(k, sum, a, b, g.b_transposed, overwrite); });
      });
      return;
    }
    k.loop(tiles.count(), [&](Scalar j) {
      tile_of_c(k, g, t, tiles[j], [&](const Acc& sum) {
        k.pipeline<gemm_slots>(in(blocks(j)).split(for_b), [&](Spm b, Step s) {
          const Spm part = a.cols(s * t.k, b.extent(g.b_transposed ? 1 : 0));
          multiply(k, sum, part, b, g.b_transposed, s.mode());
        });
      });
    });
  };
  t.panels == 1 ? k.pipeline<1>(mine.steps(), rows, panel) : k.pipeline<2>(mine.steps(), rows, panel);
}

// Blocks of A and B stream by.
void gemm_of_blocks(KernelBuilder& k, const GemmArgs& g, const GemmTiling& t) {
  const int engines = std::clamp((k.target().dma_engines - 1) / 2, 1, 4);  // of each operand
  k.for_each_tile(g.c.tiled(t.m, t.n), [&](const Tensor& c) {
    tile_of_c(k, g, t, c, [&](const Acc& sum) {
      k.pipeline<gemm_slots>(in(g.a.row_block(c, t.k)).split(engines),
                             in(blocks_of_b(g.b, g.b_transposed, c, t.k)).split(engines),
                             [&](Spm a, Spm b, Step s) { multiply(k, sum, a, b, g.b_transposed, s.mode()); });
    });
  });
}

}  // namespace

void gemm(KernelBuilder& k, const GemmArgs& g, const GemmTiling& t) {
  const auto scope = k.kernel("gemm");
  t.resident ? gemm_of_panels(k, g, t) : gemm_of_blocks(k, g, t);
}

void gemm(KernelBuilder& k, const GemmArgs& g) {
  const std::int64_t m = g.c.extent(0).capacity, depth = g.a.extent(1).capacity, n = g.c.extent(1).capacity;
  const Epilogue epilogue = epilogue_of(g);
  const int bytes = epilogue_bytes(epilogue, g.c.dtype());
  if (const GridPlan grid = plan_grid(k.target(), m, depth, n, g.a.dtype(), {bytes}); grid.fits) {
    const auto scope = k.kernel("gemm");
    return gemm_of_grid(k, g, grid);
  }
  const StagedPlan staged = plan_staged(k.target(), g);
  const StreamPlan plan = plan_stream(k.target(), m, depth, n, g.a.dtype(), g.b_transposed);
  if (staged.applies && (staged.b || !plan.fits)) return staged_gemm(k, g, staged);
  if (!plan.fits) {
    const TilingOptions options{g.b_transposed, 1, bytes};
    return gemm(k, g, choose_tiling(k.target(), m, depth, n, g.a.dtype(), options));
  }
  const auto for_one = [&](KernelBuilder& b, const Tensor& c) {
    return [finish = epilogue.begin(b, c)](std::span<const Acc> sums) { finish(sums[0]); };
  };
  stream_weights(k, g.a, {{g.b}, g.b_transposed, g.c, for_one}, plan);
}

KernelDef gemm_kernel(std::string name, std::string summary,
                      std::function<void(KernelBuilder& k, const GemmArgs& g)> product) {
  KernelDef d = gemm_problem();
  d.name = std::move(name);
  d.summary = std::move(summary);
  d.build = [product = std::move(product)](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "gemm");
    const auto m = at(s, "m"), kk = at(s, "k"), n = at(s, "n");
    const bool bt = at(s, "bt") != 0;
    const DType out = is_float(dtype) ? dtype : int32;
    k.loop(at(s, "batch"), [&](Scalar i) {
      GemmArgs g{Tensor(k.arg(0) + i * bytes_of(dtype, m * kk), dtype, {m, kk}),
                 Tensor(k.arg(1) + i * bytes_of(dtype, kk * n), dtype, {bt ? n : kk, bt ? kk : n}),
                 Tensor(k.arg(2) + i * bytes_of(out, m * n), out, {m, n}),
                 bt,
                 {}};
      if (at(s, "bias") != 0) g.epilogue = add_bias(Tensor(k.arg(3), is_float(dtype) ? fp32 : int32, {n}));
      product(k, g);
    });
    return k.finish();
  };
  return d;
}

namespace {
const KernelRegistration registration([] {
  return gemm_kernel("gemm", gemm_problem().summary, [](KernelBuilder& k, const GemmArgs& g) { gemm(k, g); });
}());
}  // namespace

}  // namespace heddle::kernels
