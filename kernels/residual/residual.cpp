// SPDX-License-Identifier: Apache-2.0
// Plan: tiles of y are dealt to the cores; both operands arrive double-buffered, the vector unit adds, the sum leaves
// while the next tiles arrive. Bound by memory.
#include "kernels/residual/residual.hpp"

#include "kernels/common/tile_pass.hpp"
#include "kernels/registry/problem.hpp"
#include "kernels/residual/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void add(KernelBuilder& k, const Tensor& a, const Tensor& b, const Tensor& y) {
  const auto scope = k.kernel("add");
  const auto pass = TilePass::of_elements(k, y, 32, 2);
  k.pipeline<3>(pass.steps(), pass.in(a), pass.in(b), pass.out(y), [&](Spm ta, Spm tb, Spm ty) { k.add(ty, ta, tb); });
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
