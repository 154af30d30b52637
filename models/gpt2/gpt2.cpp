// SPDX-License-Identifier: Apache-2.0
#include "models/gpt2/gpt2.hpp"

#include "kernels/embedding/embedding.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/norm/norm.hpp"
#include "kernels/residual/residual.hpp"

namespace heddle::models {
using namespace sdk;
namespace {

void record_layer(const Step& s, Scalar n, Scalar base) {
  const auto eps = static_cast<float>(s.layout.config.norm_eps);
  KernelBuilder& k = s.k;
  const auto w = [&](std::string_view name) { return s.layer(name, base); };

  kernels::layernorm(k, s.residual, w("attention_norm.weight"), w("attention_norm.bias"), s.normed, eps);
  k.barrier();
  kernels::gemm(k, {s.normed, w("qkv.weight"), s.qkv, true, kernels::add_bias(w("qkv.bias"))});
  k.barrier();
  append(s, n);
  record_attention(s, n, base);

  kernels::layernorm(k, s.residual, w("mlp_norm.weight"), w("mlp_norm.bias"), s.normed, eps);
  k.barrier();
  kernels::gemm(k, {s.normed, w("mlp.up.weight"), s.activated, true, kernels::gelu_of_bias(w("mlp.up.bias"))});
  k.barrier();
  kernels::gemm(
      k, {s.activated, w("mlp.down.weight"), s.residual, true, kernels::add_residual(s.residual, w("mlp.down.bias"))});
  k.barrier();
}

}  // namespace

isa::ProgramImage record_gpt2(const Target& target, const Layout& layout, bool decode) {
  KernelBuilder k(target, decode ? "gpt2 decode" : "gpt2 prefill");
  const Step s(k, layout, decode);
  kernels::embedding(k, s.ids, s.global("embed.weight"), s.residual);
  k.barrier();
  const Tensor positions = s.global("position.weight").slice(0, s.position, s.tokens);
  kernels::add(k, s.residual, positions, s.residual);
  k.barrier();
  s.for_each_layer([&](Scalar n, Scalar base) { record_layer(s, n, base); });
  kernels::layernorm(k, s.residual_tail(), s.global("final_norm.weight"), s.global("final_norm.bias"), s.last,
                     static_cast<float>(layout.config.norm_eps));
  k.barrier();
  record_head(s);
  return k.finish();
}

}  // namespace heddle::models
