// SPDX-License-Identifier: Apache-2.0
// Plan: tiles of y are dealt to the cores; operands arrive double-buffered; the gate stays fp32 between its two steps.
#include "kernels/activation/activation.hpp"

#include "kernels/activation/problem.hpp"
#include "kernels/common/tile_pass.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void swiglu(KernelBuilder& k, const Tensor& x, const Tensor& y) {
  const auto scope = k.kernel("swiglu");
  const std::int64_t width = y.extent(1).capacity;
  const auto pass = TilePass::of_elements(k, y, 36, 2);
  k.pipeline<3>(pass.steps(), pass.in(x.slice(1, 0, width)), pass.in(x.slice(1, width, width)), pass.out(y),
                [&](Spm gate, Spm up, Spm ty) {
                  const Spm act = k.spm(gate.shape(), fp32);
                  k.silu(act, gate);
                  k.mul(ty, act, up);
                });
}

void gelu(KernelBuilder& k, const Tensor& x, const Tensor& y) {
  const auto scope = k.kernel("gelu");
  const auto pass = TilePass::of_elements(k, y, 20, 1);
  k.pipeline<3>(pass.steps(), pass.in(x), pass.out(y), [&](Spm tx, Spm ty) { k.gelu_tanh(ty, tx); });
}

namespace {
const KernelRegistration swiglu_registration([] {
  KernelDef d = swiglu_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "swiglu");
    const auto tokens = at(s, "tokens"), width = at(s, "intermediate");
    swiglu(k, Tensor(k.arg(0), dtype, {tokens, 2 * width}), Tensor(k.arg(1), dtype, {tokens, width}));
    return k.finish();
  };
  return d;
}());
const KernelRegistration gelu_registration([] {
  KernelDef d = gelu_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "gelu");
    const sdk::Shape dims{at(s, "tokens"), at(s, "hidden")};
    gelu(k, Tensor(k.arg(0), dtype, dims), Tensor(k.arg(1), dtype, dims));
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
