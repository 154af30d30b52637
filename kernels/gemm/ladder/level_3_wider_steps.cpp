// SPDX-License-Identifier: Apache-2.0
// Level 3: longer steps. Four times as much of k a step: runs of memory four times as long, a quarter of the waits.
#include <algorithm>

#include "kernels/gemm/operands.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

void product(KernelBuilder& k, const GemmArgs& g) {
  const auto scope = k.kernel("gemm_l3");
  const Epilogue epilogue = epilogue_of(g);
  const std::int64_t rows = k.target().mxu_rows, cols = k.target().mxu_cols;
  const std::int64_t depth_of_step = std::min(4 * rows, g.a.extent(1).capacity);
  k.for_each_tile(g.c.tiled(rows, cols), [&](const Tensor& c) {
    const Finish finish = epilogue.begin(k, c);
    const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()));
    k.pipeline<3>(in(g.a.row_block(c, depth_of_step)), in(blocks_of_b(g.b, g.b_transposed, c, depth_of_step)),
                  [&](Spm a, Spm b, Step s) { multiply(k, sum, a, b, g.b_transposed, s.mode()); });
    finish(sum);
  });
}

const KernelRegistration registration(gemm_kernel("gemm_l3", "C = A · B, level 3: more of k a step", product));

}  // namespace
}  // namespace heddle::kernels
