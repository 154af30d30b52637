// SPDX-License-Identifier: Apache-2.0
// Plan: tiles of y are dealt to the cores; both operands arrive double-buffered, the vector unit adds, the sum leaves
// while the next tiles arrive. Bound by memory.
#include "kernels/residual/residual.hpp"

#include "kernels/common/share.hpp"
#include "kernels/registry/problem.hpp"
#include "kernels/residual/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void add(KernelBuilder& k, const Tensor& a, const Tensor& b, const Tensor& y) {
  const auto scope = k.kernel("add");
  const TileSize t = elementwise_tile(k.target(), y.extent(0).capacity, y.extent(1).capacity, 32);
  const TileGrid as = a.tiled(t.rows, t.cols), bs = b.tiled(t.rows, t.cols), ys = y.tiled(t.rows, t.cols);
  const Share mine(k, ys.count());
  k.pipeline<3>(mine.steps(), in([&](Scalar i) { return as[mine.piece(i)]; }).split(load_engines(k.target(), 2)),
                in([&](Scalar i) { return bs[mine.piece(i)]; }).split(load_engines(k.target(), 2)),
                out([&](Scalar i) { return ys[mine.piece(i)]; }), [&](Spm ta, Spm tb, Spm ty) { k.add(ty, ta, tb); });
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = add_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "add");
    const sdk::Shape dims{at(s, "tokens"), at(s, "hidden")};
    add(k, Tensor(k.arg(0), dtype, dims), Tensor(k.arg(1), dtype, dims), Tensor(k.arg(2), dtype, dims));
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
