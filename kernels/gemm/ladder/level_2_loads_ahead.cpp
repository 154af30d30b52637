// SPDX-License-Identifier: Apache-2.0
// Level 2: loads run ahead. Three places for each operand: while the array multiplies one step's tiles, the DMA engines
// fetch those of the next two.
#include "kernels/gemm/operands.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

void product(KernelBuilder& k, const GemmArgs& g) {
  const auto scope = k.kernel("gemm_l2");
  const Epilogue epilogue = epilogue_of(g);
  const std::int64_t rows = k.target().mxu_rows, cols = k.target().mxu_cols;
  k.for_each_tile(g.c.tiled(rows, cols), [&](const Tensor& c) {
    const Finish finish = epilogue.begin(k, c);
    const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()));
    k.pipeline<3>(in(g.a.row_block(c, rows)), in(blocks_of_b(g.b, g.b_transposed, c, rows)),
                  [&](Spm a, Spm b, Step s) { multiply(k, sum, a, b, g.b_transposed, s.mode()); });
    finish(sum);
  });
}

const KernelRegistration registration(gemm_kernel("gemm_l2", "C = A · B, level 2: loads run ahead", product));

}  // namespace
}  // namespace heddle::kernels
