// SPDX-License-Identifier: Apache-2.0
// Level 4: larger tiles of C. A tile of twice the array's columns and as many rows as half of the accumulator holds
// uses each byte it loads more often, and the other half lets the vector unit drain one tile while the next one fills.
#include <algorithm>

#include "kernels/gemm/operands.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

void product(KernelBuilder& k, const GemmArgs& g) {
  const auto scope = k.kernel("gemm_l4");
  const Epilogue epilogue = epilogue_of(g);
  const Target& target = k.target();
  const std::int64_t rows = target.mxu_rows, tn = 2 * target.mxu_cols, tk = std::min(2 * rows, g.a.extent(1).capacity);
  const std::int64_t tm = std::min<std::int64_t>(target.acc_bytes / 2 / (4 * tn), 8 * rows);
  k.for_each_tile(g.c.tiled(tm, tn), [&](const Tensor& c) {
    const Finish finish = epilogue.begin(k, c);
    const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()), depth(2));
    k.pipeline<3>(in(g.a.row_block(c, tk)), in(blocks_of_b(g.b, g.b_transposed, c, tk)),
                  [&](Spm a, Spm b, Step s) { multiply(k, sum, a, b, g.b_transposed, s.mode()); });
    finish(sum);
  });
}

const KernelRegistration registration(gemm_kernel("gemm_l4",
                                                  "C = A · B, level 4: larger tiles of C, two in the accumulator",
                                                  product));

}  // namespace
}  // namespace heddle::kernels
