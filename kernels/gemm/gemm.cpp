// SPDX-License-Identifier: Apache-2.0
// Plan: a core takes tiles of C. For each, blocks of A's rows and B's columns arrive double-buffered; B's parts rest in
// the arrays while A's rows stream through; the sums stay in the accumulator until k is through, then the vector unit
// takes them out while the next tile begins.
#include "kernels/gemm/gemm.hpp"

#include <array>

#include "kernels/gemm/decode.hpp"
#include "kernels/gemm/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

DType sum_type(DType operand) { return is_float(operand) ? fp32 : int32; }

// Rows of B[n, k] under tile c, in blocks of tk of k.
Blocks transposed_block(const Tensor& b, const Tensor& c, std::int64_t tk) {
  return b.slice(0, c.begin(1), c.extent(1)).blocks(1, tk);
}

}  // namespace

void gemm(KernelBuilder& k, const GemmArgs& g, const GemmTiling& t) {
  const auto scope = k.kernel("gemm");
  const Epilogue epilogue = g.epilogue ? g.epilogue : store_converted();
  k.for_each_tile(g.c.tiled(t.m, t.n), [&](const Tensor& c) {
    const Finish finish = epilogue(k, c);
    const Acc sum = k.acc({c.extent(0), c.extent(1)}, sum_type(g.a.dtype()), depth(t.accumulators));
    const Blocks b = g.b_transposed ? transposed_block(g.b, c, t.k) : g.b.col_block(c, t.k);
    k.pipeline<2>(in(g.a.row_block(c, t.k)), in(b), [&](Spm ta, Spm tb, Step s) {
      const Mode mode = overwrite_if(s.first());
      if (g.b_transposed)
        k.matmul(sum, ta, transposed(tb), mode);
      else
        k.matmul(sum, ta, tb, mode);
    });
    finish(sum);
  });
}

void gemm(KernelBuilder& k, const GemmArgs& g) {
  const std::int64_t m = g.c.extent(0).capacity, depth = g.a.extent(1).capacity, n = g.c.extent(1).capacity;
  const StreamPlan plan = plan_stream(k.target(), m, depth, n, g.a.dtype(), g.b_transposed);
  if (!plan.fits) return gemm(k, g, choose_tiling(k.target(), m, depth, n, g.a.dtype()));
  const Epilogue epilogue = g.epilogue ? g.epilogue : store_converted();
  const auto for_one = [&](KernelBuilder& b, const Tensor& c) {
    return [finish = epilogue(b, c)](std::span<const Acc> sums) { finish(sums[0]); };
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
  const GemmTiling t = choose_tiling(k.target(), m, depth_of_k, n, a.dtype(), 2);
  k.for_each_tile(c.tiled(t.m, t.n), [&](const Tensor& tile) {
    const sdk::Shape shape{tile.extent(0), tile.extent(1)};
    const std::array sums{k.acc(shape, fp32, depth(t.accumulators)), k.acc(shape, fp32, depth(t.accumulators))};
    k.pipeline<2>(in(a.row_block(tile, t.k)), in(transposed_block(gate, tile, t.k)),
                  in(transposed_block(up, tile, t.k)), [&](Spm ta, Spm tg, Spm tu, Step s) {
                    k.matmul(sums[0], ta, transposed(tg), s.mode());
                    k.matmul(sums[1], ta, transposed(tu), s.mode());
                  });
    gated(k, tile)(sums);
  });
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = gemm_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
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
      gemm(k, g);
    });
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
