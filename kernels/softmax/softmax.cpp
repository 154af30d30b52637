// SPDX-License-Identifier: Apache-2.0
// Plan: whole rows, dealt to the cores. One pass for the largest element, one fused pass for exp and its sum, one to
// scale.
#include "kernels/softmax/softmax.hpp"

#include "kernels/common/tile_pass.hpp"
#include "kernels/registry/problem.hpp"
#include "kernels/softmax/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void softmax(KernelBuilder& k, const Tensor& x, const Tensor& y) {
  const auto scope = k.kernel("softmax");
  const auto pass = TilePass::of_rows(k, x, 24);
  k.pipeline<3>(pass.steps(), pass.in(x), pass.out(y), [&](Spm tx, Spm ty) {
    const Spm top = k.spm({tx.extent(0), 1}, fp32);
    const Spm total = k.spm({tx.extent(0), 1}, fp32);
    const Spm e = k.spm(tx.shape(), fp32);
    k.rowmax(top, tx);
    k.neg(top, top);
    k.fused(e, tx, {.fn = isa::VpuFn::exp, .bias = top, .row = total, .reduce = isa::RowReduce::sum});
    k.recip(total, total);
    k.mul(ty, e, total);
  });
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = softmax_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "softmax");
    const sdk::Shape dims{at(s, "rows"), at(s, "cols")};
    softmax(k, Tensor(k.arg(0), dtype, dims), Tensor(k.arg(1), dtype, dims));
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
