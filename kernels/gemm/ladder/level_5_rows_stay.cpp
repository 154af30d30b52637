// SPDX-License-Identifier: Apache-2.0
// Level 5: rows of A stay. All of k of a tile's rows rests in the scratchpad while the columns of B stream by: A is
// read once, and only B is loaded step by step.
#include <algorithm>

#include "kernels/gemm/operands.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

void product(KernelBuilder& k, const GemmArgs& g) {
  const auto scope = k.kernel("gemm_l5");
  const Epilogue epilogue = epilogue_of(g);
  const Target& target = k.target();
  const std::int64_t depth_of_k = g.a.extent(1).capacity, n = g.c.extent(1).capacity;
  const std::int64_t rows = target.mxu_rows, tn = 2 * target.mxu_cols, tk = std::min(2 * rows, depth_of_k);
  const std::int64_t fit = target.spm_bytes / 3 / bytes_of(g.a.dtype(), depth_of_k) / 8 * 8;
  const std::int64_t tm = std::min({std::max<std::int64_t>(8, fit), target.acc_bytes / 2 / (4 * tn), 8 * rows});
  k.for_each_tile(g.c.tiled(tm, n), [&](const Tensor& panel) {
    const Spm a = k.spm({panel.extent(0), depth_of_k}, g.a.dtype());
    k.load(a, g.a.slice(0, panel.begin(0), panel.extent(0)));
    const TileGrid tiles = panel.tiled(tm, tn);
    k.loop(tiles.count(), [&](Scalar i) {
      const Tensor c = tiles[i];
      const Finish finish = epilogue.begin(k, c);
      const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()), depth(2));
      k.pipeline<3>(in(blocks_of_b(g.b, g.b_transposed, c, tk)), [&](Spm b, Step s) {
        multiply(k, sum, a.cols(s * tk, b.extent(g.b_transposed ? 1 : 0)), b, g.b_transposed, s.mode());
      });
      finish(sum);
    });
  });
}

const KernelRegistration registration(gemm_kernel("gemm_l5", "C = A · B, level 5: rows of A stay in the scratchpad",
                                                  product));

}  // namespace
}  // namespace heddle::kernels
