// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/tile_pass.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/graph/problems.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void graph_layernorm(KernelBuilder& k, const LayerNorm& n) {
  const float part = 1.0f / static_cast<float>(n.x.extent(1).capacity);
  const auto pass = TilePass::of_rows(k, n.x, 24);
  {
    const auto scope = k.kernel("means");
    k.pipeline<3>(pass.steps(), pass.in(n.x), pass.out(n.mean), [&](Spm tx, Spm mean) {
      k.sum(mean, tx);
      k.mul(mean, mean, part);
    });
  }
  k.barrier();
  {
    const auto scope = k.kernel("deviations");
    k.pipeline<3>(pass.steps(), pass.in(n.x), pass.column(n.mean), pass.out(n.scale), [&](Spm tx, Spm mean, Spm scale) {
      const Spm centred = k.spm(tx.shape(), fp32);
      k.sub(centred, tx, mean);
      k.sumsq(scale, centred);
      k.mul(scale, scale, part);
      k.add(scale, scale, n.eps);
      k.rsqrt(scale, scale);
    });
  }
  k.barrier();
  {
    const auto scope = k.kernel("normalise");
    k.pipeline<3>(pass.steps(), pass.in(n.x), pass.column(n.mean), pass.column(n.scale), pass.out(n.z),
                  [&](Spm tx, Spm mean, Spm scale, Spm z) {
                    const Spm centred = k.spm(tx.shape(), fp32);
                    k.sub(centred, tx, mean);
                    k.mul(z, centred, scale);
                  });
  }
  k.barrier();
  const auto scope = k.kernel("scale and shift");
  k.pipeline<3>(pass.steps(), pass.in(n.z), in(n.weight.unsqueeze()), in(n.bias.unsqueeze()), pass.out(n.y),
                [&](Spm z, Spm weight, Spm bias, Spm ty) {
                  const Spm scaled = k.spm(z.shape(), fp32);
                  k.mul(scaled, z, weight);
                  k.add(ty, scaled, bias);
                });
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = graph_layernorm_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "graph_layernorm");
    const auto tokens = at(s, "tokens"), hidden = at(s, "hidden");
    const sdk::Shape dims{tokens, hidden}, column{tokens, 1};
    graph_layernorm(k, {.x = Tensor(k.arg(0), dtype, dims),
                        .weight = Tensor(k.arg(1), fp32, {hidden}),
                        .bias = Tensor(k.arg(3), fp32, {hidden}),
                        .y = Tensor(k.arg(2), dtype, dims),
                        .mean = Tensor(k.arg(4), fp32, column),
                        .scale = Tensor(k.arg(5), fp32, column),
                        .z = Tensor(k.arg(6), dtype, dims),
                        .eps = 1e-5f});
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
