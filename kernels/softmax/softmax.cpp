// SPDX-License-Identifier: Apache-2.0
// Plan: whole rows, dealt to the cores. One pass for the largest element, one fused pass for exp and its sum, one to
// scale.
#include "kernels/softmax/softmax.hpp"

#include "kernels/common/share.hpp"
#include "kernels/registry/problem.hpp"
#include "kernels/softmax/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void softmax(KernelBuilder& k, const Tensor& x, const Tensor& y) {
  const auto scope = k.kernel("softmax");
  const std::int64_t cols = x.extent(1).capacity;
  const std::int64_t rows = whole_rows(k.target(), x.extent(0).capacity, cols, 24);
  const TileGrid xs = x.tiled(rows, cols), ys = y.tiled(rows, cols);
  const Share mine(k, ys.count());
  k.pipeline<3>(mine.steps(), in([&](Scalar i) { return xs[mine.piece(i)]; }).split(load_engines(k.target(), 1)),
                out([&](Scalar i) { return ys[mine.piece(i)]; }), [&](Spm tx, Spm ty) {
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
