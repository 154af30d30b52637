// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/tile_pass.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/graph/problems.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void graph_sums_of_exp(KernelBuilder& k, const Tensor& x, const RowColumn& top, const RowColumn& total) {
  const auto scope = k.kernel("sums of exp");
  const auto pass = TilePass::of_rows(k, x, 24);
  k.pipeline<3>(pass.steps(), pass.in(x), pass.column(top), pass.out(total), [&](Spm tx, Spm ttop, Spm ttotal) {
    const Spm shift = k.spm({tx.extent(0), 1}, fp32);
    const Spm e = k.spm(tx.shape(), fp32);
    k.neg(shift, ttop);
    k.fused(e, tx, {.fn = isa::VpuFn::exp, .bias = shift, .row = ttotal, .reduce = isa::RowReduce::sum});
  });
}

void graph_softmax(KernelBuilder& k, const Tensor& x, const RowColumn& top, const RowColumn& total, const Tensor& y) {
  {
    const auto scope = k.kernel("row maxima");
    const auto pass = TilePass::of_rows(k, x, 24);
    k.pipeline<3>(pass.steps(), pass.in(x), pass.out(top), [&](Spm tx, Spm ttop) { k.rowmax(ttop, tx); });
  }
  k.barrier();
  graph_sums_of_exp(k, x, top, total);
  k.barrier();
  const auto scope = k.kernel("normalise");
  const auto pass = TilePass::of_rows(k, x, 24);
  k.pipeline<3>(pass.steps(), pass.in(x), pass.column(top), pass.column(total), pass.out(y),
                [&](Spm tx, Spm ttop, Spm ttotal, Spm ty) {
                  const Spm shift = k.spm({tx.extent(0), 1}, fp32), inverse = k.spm({tx.extent(0), 1}, fp32);
                  const Spm e = k.spm(tx.shape(), fp32);
                  k.neg(shift, ttop);
                  k.recip(inverse, ttotal);
                  k.fused(e, tx, {.fn = isa::VpuFn::exp, .bias = shift});
                  k.mul(ty, e, inverse);
                });
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = graph_softmax_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "graph_softmax");
    const auto rows = at(s, "rows");
    const sdk::Shape dims{rows, at(s, "cols")}, column{rows, 1};
    graph_softmax(k, Tensor(k.arg(0), dtype, dims), Tensor(k.arg(2), fp32, column), Tensor(k.arg(3), fp32, column),
                  Tensor(k.arg(1), dtype, dims));
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
