// SPDX-License-Identifier: Apache-2.0
// Plan: tiles of y are dealt to the cores; operands arrive double-buffered; the gate stays fp32 between its two steps.
#include "kernels/activation/activation.hpp"

#include "kernels/activation/problem.hpp"
#include "kernels/common/share.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void swiglu(KernelBuilder& k, const Tensor& x, const Tensor& y) {
  const auto scope = k.kernel("swiglu");
  const std::int64_t width = y.extent(1).capacity;
  const TileSize t = elementwise_tile(k.target(), y.extent(0).capacity, width, 36);
  const TileGrid gates = x.slice(1, 0, width).tiled(t.rows, t.cols),
                 ups = x.slice(1, width, width).tiled(t.rows, t.cols), ys = y.tiled(t.rows, t.cols);
  const Share mine(k, ys.count());
  k.pipeline<3>(mine.steps(), in([&](Scalar i) { return gates[mine.piece(i)]; }).split(load_engines(k.target(), 2)),
                in([&](Scalar i) { return ups[mine.piece(i)]; }).split(load_engines(k.target(), 2)),
                out([&](Scalar i) { return ys[mine.piece(i)]; }), [&](Spm gate, Spm up, Spm ty) {
                  const Spm act = k.spm(gate.shape(), fp32);
                  k.silu(act, gate);
                  k.mul(ty, act, up);
                });
}

void gelu(KernelBuilder& k, const Tensor& x, const Tensor& y) {
  const auto scope = k.kernel("gelu");
  const TileSize t = elementwise_tile(k.target(), y.extent(0).capacity, y.extent(1).capacity, 20);
  const TileGrid xs = x.tiled(t.rows, t.cols), ys = y.tiled(t.rows, t.cols);
  const Share mine(k, ys.count());
  k.pipeline<3>(mine.steps(), in([&](Scalar i) { return xs[mine.piece(i)]; }).split(load_engines(k.target(), 1)),
                out([&](Scalar i) { return ys[mine.piece(i)]; }), [&](Spm tx, Spm ty) { k.gelu_tanh(ty, tx); });
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
