// SPDX-License-Identifier: Apache-2.0
// Level 1: one tile at a time. A tile of C as large as the array; its operands are loaded, multiplied, loaded, ... each
// step waits for the one before, since there is one place for each tile.
#include "kernels/gemm/operands.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

void product(KernelBuilder& k, const GemmArgs& g) {
  const auto scope = k.kernel("gemm_l1");
  const Epilogue epilogue = epilogue_of(g);
  const std::int64_t rows = k.target().mxu_rows, cols = k.target().mxu_cols;
  k.for_each_tile(g.c.tiled(rows, cols), [&](const Tensor& c) {
    const Finish finish = epilogue.begin(k, c);
    const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()));
    k.pipeline<1>(in(g.a.row_block(c, rows)), in(blocks_of_b(g.b, g.b_transposed, c, rows)),
                  [&](Spm a, Spm b, Step s) { multiply(k, sum, a, b, g.b_transposed, s.mode()); });
    finish(sum);
  });
}

const KernelRegistration registration(gemm_kernel("gemm_l1", "C = A · B, level 1: one tile at a time", product));

}  // namespace
}  // namespace heddle::kernels
