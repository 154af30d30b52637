// SPDX-License-Identifier: Apache-2.0
// Plan: a core takes panels of C. The rows of A that a panel needs stay in the scratchpad (those of the next panel
// arrive meanwhile) and B streams by, tile of C by tile of C: parts of B rest in the arrays while A's rows pass through
// them, the sums stay in the accumulator until k is through, and the vector unit takes them out while the next tile
// begins. Where whole rows of A do not fit, blocks of both stream by.
#include "kernels/gemm/gemm.hpp"

#include <algorithm>
#include <array>

#include "kernels/common/share.hpp"
#include "kernels/gemm/decode.hpp"
#include "kernels/gemm/operands.hpp"
#include "kernels/gemm/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void gemm(KernelBuilder& k, const GemmArgs& g, const GemmTiling& t) {
  const auto scope = k.kernel("gemm");
  const Epilogue epilogue = epilogue_of(g);
  const auto tile = [&](const Tensor& c, auto&& products) {
    const Finish finish = epilogue.begin(k, c);
    const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()), depth(t.accumulators));
    products(sum, in(blocks_of_b(g.b, g.b_transposed, c, t.k)));
    finish(sum);
  };
  if (!t.resident) {
    k.for_each_tile(g.c.tiled(t.m, t.n), [&](const Tensor& c) {
      tile(c, [&](const Acc& sum, const In& b_blocks) {
        k.pipeline<gemm_slots>(in(g.a.row_block(c, t.k)), b_blocks,
                               [&](Spm a, Spm b, Step s) { multiply(k, sum, a, b, g.b_transposed, s.mode()); });
      });
    });
    return;
  }
  const TileGrid panels = g.c.tiled(t.m, t.panel_n);
  const Share mine(k, panels.count());
  // Engines share the memory evenly: those of B outnumber those that bring the next panel.
  const int engines = k.target().dma_engines - 1, a_loads = std::clamp(engines / 3, 1, 2);
  const int b_loads = std::clamp(engines - a_loads, 1, 4);
  const In rows = in([&](Scalar i) {
                    const Tensor c = panels[mine.piece(i)];
                    return g.a.slice(0, c.begin(0), c.extent(0));
                  }).split(a_loads);
  const auto panel = [&](Spm a, Step i) {
    const TileGrid tiles = panels[mine.piece(i)].tiled(t.m, t.n);
    k.loop(tiles.count(), [&](Scalar j) {
      tile(tiles[j], [&](const Acc& sum, const In& b_blocks) {
        k.pipeline<gemm_slots>(b_blocks.split(b_loads), [&](Spm b, Step s) {
          multiply(k, sum, a.cols(s * t.k, b.extent(g.b_transposed ? 1 : 0)), b, g.b_transposed, s.mode());
        });
      });
    });
  };
  if (t.panels == 1)
    k.pipeline<1>(mine.steps(), rows, panel);
  else
    k.pipeline<2>(mine.steps(), rows, panel);
}

void gemm(KernelBuilder& k, const GemmArgs& g) {
  const std::int64_t m = g.c.extent(0).capacity, depth = g.a.extent(1).capacity, n = g.c.extent(1).capacity;
  const Epilogue epilogue = epilogue_of(g);
  const StreamPlan plan = plan_stream(k.target(), m, depth, n, g.a.dtype(), g.b_transposed);
  if (!plan.fits) {
    const TilingOptions options{g.b_transposed, 1, epilogue_bytes(epilogue, g.c.dtype())};
    return gemm(k, g, choose_tiling(k.target(), m, depth, n, g.a.dtype(), options));
  }
  const auto for_one = [&](KernelBuilder& b, const Tensor& c) {
    return [finish = epilogue.begin(b, c)](std::span<const Acc> sums) { finish(sums[0]); };
  };
  stream_weights(k, g.a, {{g.b}, g.b_transposed, g.c, for_one}, plan);
}

void swiglu_gemm(KernelBuilder& k, const Tensor& a, const Tensor& gate, const Tensor& up, const Tensor& c) {
  const auto gated = [](KernelBuilder& b, const Tensor& tile) {
    return [&b, tile](std::span<const Acc> sums) {
      const Spm act = b.spm(sums[0].shape(), fp32, depth(2)), out = b.spm(sums[0].shape(), tile.dtype(), depth(2));
      b.silu(act, sums[0]);
      b.mul(out, act, sums[1]);
      b.store(tile, out);
    };
  };
  const std::int64_t m = c.extent(0).capacity, depth_of_k = a.extent(1).capacity, n = c.extent(1).capacity;
  const StreamPlan plan = plan_stream(k.target(), m, depth_of_k, n, a.dtype(), true, 2);
  if (plan.fits) return stream_weights(k, a, {{gate, up}, true, c, gated}, plan);
  const auto scope = k.kernel("swiglu_gemm");
  const GemmTiling t =
      choose_tiling(k.target(), m, depth_of_k, n, a.dtype(), {true, 2, 2 * (4 + bits(c.dtype()) / 8), false});
  k.for_each_tile(c.tiled(t.m, t.n), [&](const Tensor& tile) {
    const std::array sums{k.acc(tile.shape(), fp32, depth(t.accumulators)),
                          k.acc(tile.shape(), fp32, depth(t.accumulators))};
    k.pipeline<gemm_slots>(in(a.row_block(tile, t.k)), in(blocks_of_b(gate, true, tile, t.k)),
                           in(blocks_of_b(up, true, tile, t.k)), [&](Spm ta, Spm tg, Spm tu, Step s) {
                             k.matmul(sums[0], ta, transposed(tg), s.mode());
                             k.matmul(sums[1], ta, transposed(tu), s.mode());
                           });
    gated(k, tile)(sums);
  });
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
