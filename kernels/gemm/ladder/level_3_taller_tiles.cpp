// SPDX-License-Identifier: Apache-2.0
// Level 3: taller tiles. Four times the array's rows of A pass each part of B: what is loaded of B is used four times
// as often, and the next part of B goes into the array while they pass.
#include "kernels/gemm/operands.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

void product(KernelBuilder& k, const GemmArgs& g) {
  const auto scope = k.kernel("gemm_l3");
  const Epilogue epilogue = epilogue_of(g);
  const std::int64_t rows = k.target().mxu_rows, cols = k.target().mxu_cols;
  k.for_each_tile(g.c.tiled(4 * rows, cols), [&](const Tensor& c) {
    const Finish finish = epilogue.begin(k, c);
    const Acc sum = k.acc(c.shape(), sum_type(g.a.dtype()));
    k.pipeline<3>(in(g.a.row_block(c, rows)), in(blocks_of_b(g.b, g.b_transposed, c, rows)),
                  [&](Spm a, Spm b, Step s) { multiply(k, sum, a, b, g.b_transposed, s.mode()); });
    finish(sum);
  });
}

const KernelRegistration registration(gemm_kernel("gemm_l3", "C = A · B, level 3: taller tiles of A", product));

}  // namespace
}  // namespace heddle::kernels
