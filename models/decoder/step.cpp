// SPDX-License-Identifier: Apache-2.0
#include "models/decoder/step.hpp"

#include "kernels/attention/attention.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/kv_append/kv_append.hpp"
#include "kernels/select/select.hpp"

namespace heddle::models {
using namespace sdk;
using A = StepArguments;
namespace {

Shape shape_of(const Placement& p) {
  if (p.shape.size() == 1) return {p.shape[0]};
  return {p.shape[0], p.shape[1]};
}

Tensor pages_at(Scalar address, const Layout& l) {
  return Tensor(address, l.dtype, {l.pages, l.config.kv_heads, l.limits.page, l.config.head_dim});
}

}  // namespace

Step::Step(KernelBuilder& builder, const Layout& l, bool decode_image)
    : k(builder),
      layout(l),
      decode(decode_image),
      tokens(decode_image ? Extent(1) : up_to(builder.arg(A::tokens), l.limits.chunk)),
      position(builder.arg(A::position)) {
  const weights::ModelConfig& c = l.config;
  const auto workspace = [&](std::uint64_t offset, DType dtype, std::int64_t width) {
    return Tensor(k.arg(A::workspace) + static_cast<std::int64_t>(offset), dtype, {tokens, width});
  };
  residual = workspace(l.residual, fp32, c.hidden);
  normed = workspace(l.normed, l.dtype, c.hidden);
  qkv = workspace(l.qkv, fp32, l.qkv_width());
  attended = workspace(l.attended, l.dtype, l.q_width());
  activated = workspace(l.activated, l.dtype, c.intermediate);
  ids = Tensor(k.arg(A::token_ids), int32, {tokens});
  table = Tensor(k.arg(A::block_table), int32, {l.pages});
  const Extent rows = decode ? Extent(1) : up_to(k.arg(A::logit_rows), l.limits.chunk);
  last = Tensor(k.arg(A::workspace) + static_cast<std::int64_t>(l.last), l.dtype, {rows, c.hidden});
  logits = Tensor(k.arg(A::logits), fp32, {rows, c.vocab});
  next = Tensor(k.arg(A::next_token), int32, {rows});
}

Tensor Step::global(std::string_view name) const {
  const Placement& p = layout.global(name);
  return Tensor(k.arg(A::weights) + static_cast<std::int64_t>(p.offset), p.dtype, shape_of(p));
}

Tensor Step::layer(std::string_view name, Scalar base) const {
  const Placement& p = layout.layer(name);
  return Tensor(base + static_cast<std::int64_t>(p.offset), p.dtype, shape_of(p));
}

Tensor Step::k_pages(Scalar n) const {
  return pages_at(k.arg(A::kv_cache) + n * static_cast<std::int64_t>(2 * layout.kv_part_bytes), layout);
}

Tensor Step::v_pages(Scalar n) const {
  const auto part = static_cast<std::int64_t>(layout.kv_part_bytes);
  return pages_at(k.arg(A::kv_cache) + n * (2 * part) + part, layout);
}

Tensor Step::heads(std::int64_t first, std::int64_t n) const {
  const std::int64_t dim = layout.config.head_dim;
  return Tensor(qkv.address() + first * dim * 4, fp32, {tokens, n, dim}, {layout.qkv_width(), dim, 1});
}

Tensor Step::residual_tail() const { return residual.slice(0, tokens.size - last.size(0), last.extent(0)); }

void Step::for_each_layer(const std::function<void(Scalar, Scalar)>& body) const {
  const auto stride = static_cast<std::int64_t>(layout.layer_stride);
  k.loop(layout.config.layers, [&](Scalar n) {
    const auto scope = k.scope("layer");
    body(n, k.arg(A::weights) + static_cast<std::int64_t>(layout.first_layer) + n * stride);
  });
}

void append(const Step& s, Scalar n) {
  const weights::ModelConfig& c = s.layout.config;
  kernels::kv_append(s.k, s.heads(c.heads, c.kv_heads), s.heads(c.heads + c.kv_heads, c.kv_heads), s.k_pages(n),
                     s.v_pages(n), s.table, s.position);
  s.k.barrier();
}

void record_attention(const Step& s, Scalar n, Scalar base) {
  const weights::ModelConfig& c = s.layout.config;
  const Tensor out(s.attended.address(), s.layout.dtype, {s.tokens, c.heads, c.head_dim});
  kernels::paged_attention(s.k, s.heads(0, c.heads), s.k_pages(n), s.v_pages(n), s.table, out, s.position,
                           s.layout.dtype);
  s.k.barrier();
  const kernels::Epilogue add = c.o_bias ? kernels::add_residual(s.residual, s.layer("attention.o.bias", base))
                                         : kernels::add_residual(s.residual);
  kernels::gemm(s.k, {s.attended, s.layer("attention.o.weight", base), s.residual, true, add});
  s.k.barrier();
}

void record_head(const Step& s) {
  const auto scope = s.k.scope("head");
  const Tensor weight = s.global(s.layout.config.tie_embeddings ? "embed.weight" : "lm_head.weight");
  kernels::gemm(s.k, {s.last, weight, s.logits, true, {}});
  s.k.barrier();
  kernels::argmax(s.k, s.logits, s.next);
  s.k.barrier();
}

}  // namespace heddle::models
