// SPDX-License-Identifier: Apache-2.0
// Plan: whole rows, dealt to the cores; weight and bias arrive once and stay. Statistics are fp32, one pass each; the
// result is rounded once.
#include "kernels/norm/norm.hpp"

#include "kernels/common/tile_pass.hpp"
#include "kernels/norm/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

// A [hidden] vector as one row, for broadcasting.
Tensor as_row(const Tensor& v) { return v.unsqueeze(); }

// r = 1 / sqrt(squares / n + eps)
void inverse_deviation(KernelBuilder& k, const Spm& r, const Spm& squares, std::int64_t n, float eps) {
  k.mul(r, squares, 1.0f / static_cast<float>(n));
  k.add(r, r, eps);
  k.rsqrt(r, r);
}

}  // namespace

void rmsnorm(KernelBuilder& k, const Tensor& x, const Tensor& weight, const Tensor& y, float eps) {
  const auto scope = k.kernel("rmsnorm");
  const std::int64_t hidden = x.extent(1).capacity;
  const auto pass = TilePass::of_rows(k, x, 24);
  k.pipeline<3>(pass.steps(), pass.in(x), in(as_row(weight)), pass.out(y), [&](Spm tx, Spm tw, Spm ty) {
    const Spm scale = k.spm({tx.extent(0), 1}, fp32);
    const Spm scaled = k.spm(tx.shape(), fp32);
    k.sumsq(scale, tx);
    inverse_deviation(k, scale, scale, hidden, eps);
    k.mul(scaled, tx, scale);
    k.mul(ty, scaled, tw);
  });
}

void layernorm(KernelBuilder& k, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y,
               float eps) {
  const auto scope = k.kernel("layernorm");
  const std::int64_t hidden = x.extent(1).capacity;
  const auto pass = TilePass::of_rows(k, x, 24);
  k.pipeline<3>(pass.steps(), pass.in(x), in(as_row(weight)), in(as_row(bias)), pass.out(y),
                [&](Spm tx, Spm tw, Spm tb, Spm ty) {
                  const Spm stat = k.spm({tx.extent(0), 1}, fp32);
                  const Spm centred = k.spm(tx.shape(), fp32);
                  k.sum(stat, tx);
                  k.mul(stat, stat, 1.0f / static_cast<float>(hidden));
                  k.sub(centred, tx, stat);
                  k.sumsq(stat, centred);
                  inverse_deviation(k, stat, stat, hidden, eps);
                  k.mul(centred, centred, stat);
                  k.mul(centred, centred, tw);
                  k.add(ty, centred, tb);
                });
}

namespace {
constexpr float bench_eps = 1e-5f;

const KernelRegistration rmsnorm_registration([] {
  KernelDef d = rmsnorm_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "rmsnorm");
    const auto hidden = at(s, "hidden");
    const sdk::Shape dims{at(s, "tokens"), hidden};
    rmsnorm(k, Tensor(k.arg(0), dtype, dims), Tensor(k.arg(1), fp32, {hidden}), Tensor(k.arg(2), dtype, dims),
            bench_eps);
    return k.finish();
  };
  return d;
}());
const KernelRegistration layernorm_registration([] {
  KernelDef d = layernorm_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "layernorm");
    const auto hidden = at(s, "hidden");
    const sdk::Shape dims{at(s, "tokens"), hidden};
    layernorm(k, Tensor(k.arg(0), dtype, dims), Tensor(k.arg(1), fp32, {hidden}), Tensor(k.arg(3), fp32, {hidden}),
              Tensor(k.arg(2), dtype, dims), bench_eps);
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
