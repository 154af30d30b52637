// SPDX-License-Identifier: Apache-2.0
#include "models/llama/llama.hpp"

#include "kernels/embedding/embedding.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/norm/norm.hpp"
#include "kernels/rope/rope.hpp"

namespace heddle::models {
using namespace sdk;
namespace {

// Qwen3: each head's query and key are normed on their own before they turn.
void norm_heads(const Step& s, const Tensor& weight, std::int64_t first, std::int64_t n, float eps) {
  s.k.loop(n, [&](Scalar h) {
    const Tensor head = s.heads(first, n).at(1, h);
    kernels::rmsnorm(s.k, head, weight, head, eps);
  });
}

void record_layer(const Step& s, Scalar n, Scalar base) {
  const weights::ModelConfig& c = s.layout.config;
  const auto eps = static_cast<float>(c.norm_eps);
  KernelBuilder& k = s.k;

  kernels::rmsnorm(k, s.residual, s.layer("attention_norm.weight", base), s.normed, eps);
  k.barrier();
  const kernels::Epilogue bias = c.qkv_bias ? kernels::add_bias(s.layer("qkv.bias", base)) : kernels::Epilogue{};
  kernels::gemm(k, {s.normed, s.layer("qkv.weight", base), s.qkv, true, bias});
  k.barrier();
  if (c.qk_norm) {
    norm_heads(s, s.layer("attention.q_norm.weight", base), 0, c.heads, eps);
    norm_heads(s, s.layer("attention.k_norm.weight", base), c.heads, c.kv_heads, eps);
    k.barrier();
  }
  if (s.decode) {
    turn_and_append(s, n);
  } else {
    kernels::rope(k, s.heads(0, c.heads + c.kv_heads), s.global("rope"), s.position);
    k.barrier();
    append(s, n);
  }
  record_attention(s, n, base);

  kernels::rmsnorm(k, s.residual, s.layer("mlp_norm.weight", base), s.normed, eps);
  k.barrier();
  kernels::swiglu_gemm(k, s.normed, s.layer("mlp.gate.weight", base), s.layer("mlp.up.weight", base), s.activated);
  k.barrier();
  kernels::gemm(k,
                {s.activated, s.layer("mlp.down.weight", base), s.residual, true, kernels::add_residual(s.residual)});
  k.barrier();
}

}  // namespace

isa::ProgramImage record_llama(const Target& target, const Layout& layout, bool decode) {
  KernelBuilder k(target, decode ? "llama decode" : "llama prefill");
  const Step s(k, layout, decode);
  kernels::embedding(k, s.ids, s.global("embed.weight"), s.residual);
  k.barrier();
  s.for_each_layer([&](Scalar n, Scalar base) { record_layer(s, n, base); });
  kernels::rmsnorm(k, s.residual_tail(), s.global("final_norm.weight"), s.last,
                   static_cast<float>(layout.config.norm_eps));
  k.barrier();
  record_head(s);
  return k.finish();
}

}  // namespace heddle::models
