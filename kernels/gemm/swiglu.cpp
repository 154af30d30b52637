// SPDX-License-Identifier: Apache-2.0
// Plan: the two products of a gated layer share one pass over a's rows: their sums lie side by side in the accumulator,
// and the vector unit joins them on the way out.
#include <array>
#include <cmath>

#include "kernels/common/share.hpp"
#include "kernels/gemm/decode.hpp"
#include "kernels/gemm/operands.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

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
  TilingOptions options{true, 2, 2 * (4 + bits(c.dtype()) / 8), true};
  GemmTiling t = choose_tiling(k.target(), m, depth_of_k, n, a.dtype(), options);
  if (t.resident && t.k != depth_of_k) {
    options.resident = false;
    t = choose_tiling(k.target(), m, depth_of_k, n, a.dtype(), options);
  }
  const auto tile = [&](const Tensor& out, auto&& products) {
    const std::array sums{k.acc(out.shape(), fp32, depth(t.accumulators)),
                          k.acc(out.shape(), fp32, depth(t.accumulators))};
    products(sums);
    gated(k, out)(sums);
  };
  if (!t.resident) {
    k.for_each_tile(c.tiled(t.m, t.n), [&](const Tensor& out) {
      tile(out, [&](const std::array<Acc, 2>& sums) {
        k.pipeline<gemm_slots>(in(a.row_block(out, t.k)), in(blocks_of_b(gate, true, out, t.k)),
                               in(blocks_of_b(up, true, out, t.k)), [&](Spm ta, Spm tg, Spm tu, Step s) {
                                 k.matmul(sums[0], ta, transposed(tg), s.mode());
                                 k.matmul(sums[1], ta, transposed(tu), s.mode());
                               });
      });
    });
    return;
  }
  // Rows of a stay; whole rows of both weights stream by.
  const TileGrid panels = c.tiled(t.m, t.panel_n);
  const Share mine(k, panels.count());
  const In rows = in([&](Scalar i) {
    const Tensor panel = panels[mine.piece(i)];
    return a.slice(0, panel.begin(0), panel.extent(0));
  });
  const auto panel = [&](Spm ta, Step i) {
    const TileGrid tiles = panels[mine.piece(i)].tiled(t.m, t.n);
    const auto weights = [&](const Tensor& w) {
      return in([&, w](Scalar j) { return blocks_of_b(w, true, tiles[j], t.k)[0]; });
    };
    k.pipeline<gemm_slots>(Steps(tiles.count()), weights(gate), weights(up), [&](Spm tg, Spm tu, Step j) {
      tile(tiles[j], [&](const std::array<Acc, 2>& sums) {
        k.matmul(sums[0], ta, transposed(tg), overwrite);
        k.matmul(sums[1], ta, transposed(tu), overwrite);
      });
    });
  };
  t.panels == 1 ? k.pipeline<1>(mine.steps(), rows, panel) : k.pipeline<2>(mine.steps(), rows, panel);
}

namespace {

std::vector<TensorSpec> operands(const Shape& s, DType dtype) {
  const auto m = at(s, "m"), k = at(s, "k"), n = at(s, "n");
  // Products of about 1, so that the gate bends.
  const double scale = 1.7 / std::sqrt(static_cast<double>(k));
  const auto small = [scale](std::int64_t, std::uint64_t random) {
    return scale * (static_cast<double>(random >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1);
  };
  return {{"a", dtype, {m, k}, Role::input, {}},
          {"gate", dtype, {n, k}, Role::input, small},
          {"up", dtype, {n, k}, Role::input, small},
          {"c", dtype, {m, n}, Role::output, {}}};
}

void reference(const Shape& s, std::vector<HostTensor>& t) {
  const auto m = at(s, "m"), k = at(s, "k"), n = at(s, "n");
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double g = 0, u = 0;
      for (std::int64_t p = 0; p < k; ++p) {
        g += t[0].get(i * k + p) * t[1].get(j * k + p);
        u += t[0].get(i * k + p) * t[2].get(j * k + p);
      }
      t[3].set(i * n + j, g / (1 + std::exp(-g)) * u);
    }
}

const KernelRegistration registration([] {
  KernelDef d;
  d.name = "swiglu_gemm";
  d.summary = "silu(A · gateᵀ) · (A · upᵀ): the first half of a gated layer";
  d.params = {{"m", 1, 1, "rows of A and C"}, {"k", 576, 1, "columns of A"}, {"n", 1536, 1, "columns of C"}};
  d.dtypes = {DType::bf16, DType::fp32};
  d.uses_mxu = true;
  d.tensors = operands;
  d.reference = reference;
  d.work = [](const Shape& s, DType dtype) {
    return Work{2.0 * static_cast<double>(at(s, "m") * at(s, "k")) * static_cast<double>(at(s, "n")), dtype,
                bytes_once(operands(s, dtype))};
  };
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 2e-5 : 2 * rounding(dtype); };
  d.test_shapes = {{{"m", 1}, {"k", 1}, {"n", 1}},
                   {{"m", 1}, {"k", 576}, {"n", 200}},
                   {{"m", 7}, {"k", 100}, {"n", 67}},
                   {{"m", 70}, {"k", 130}, {"n", 129}}};
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "swiglu_gemm");
    const auto m = at(s, "m"), kk = at(s, "k"), n = at(s, "n");
    swiglu_gemm(k, Tensor(k.arg(0), dtype, {m, kk}), Tensor(k.arg(1), dtype, {n, kk}), Tensor(k.arg(2), dtype, {n, kk}),
                Tensor(k.arg(3), dtype, {m, n}));
    return k.finish();
  };
  return d;
}());

}  // namespace
}  // namespace heddle::kernels
