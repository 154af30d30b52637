// SPDX-License-Identifier: Apache-2.0
#include "models/weights/tensor_map.hpp"

#include <fmt/format.h>

#include "models/weights/i_weights.hpp"

namespace heddle::weights {

namespace {

// Spelling of one canonical name in each family of formats; {} is the layer.
struct NameRow {
  std::string_view canonical;
  std::string_view hf_llama;
  std::string_view hf_gpt2;
  std::string_view gguf;
};

constexpr NameRow name_rows[] = {
    {"embed", "embed_tokens", "wte", "token_embd"},
    {"position", "", "wpe", "position_embd"},
    {"final_norm", "norm", "ln_f", "output_norm"},
    {"lm_head", "lm_head", "lm_head", "output"},
    {"attention_norm", "layers.{}.input_layernorm", "h.{}.ln_1", "blk.{}.attn_norm"},
    {"attention.q", "layers.{}.self_attn.q_proj", "h.{}.attn.c_attn", "blk.{}.attn_q"},
    {"attention.k", "layers.{}.self_attn.k_proj", "h.{}.attn.c_attn", "blk.{}.attn_k"},
    {"attention.v", "layers.{}.self_attn.v_proj", "h.{}.attn.c_attn", "blk.{}.attn_v"},
    {"attention.q_norm", "layers.{}.self_attn.q_norm", "", "blk.{}.attn_q_norm"},
    {"attention.k_norm", "layers.{}.self_attn.k_norm", "", "blk.{}.attn_k_norm"},
    {"attention.o", "layers.{}.self_attn.o_proj", "h.{}.attn.c_proj", "blk.{}.attn_output"},
    {"mlp_norm", "layers.{}.post_attention_layernorm", "h.{}.ln_2", "blk.{}.ffn_norm"},
    {"mlp.gate", "layers.{}.mlp.gate_proj", "", "blk.{}.ffn_gate"},
    {"mlp.up", "layers.{}.mlp.up_proj", "h.{}.mlp.c_fc", "blk.{}.ffn_up"},
    {"mlp.down", "layers.{}.mlp.down_proj", "h.{}.mlp.c_proj", "blk.{}.ffn_down"},
};

std::string source_stem(std::string_view canonical, NameScheme scheme, std::int64_t layer) {
  std::string_view pattern;
  for (const NameRow& row : name_rows) {
    if (row.canonical != canonical) continue;
    pattern = scheme == NameScheme::hf_llama ? row.hf_llama : scheme == NameScheme::hf_gpt2 ? row.hf_gpt2 : row.gguf;
  }
  if (scheme == NameScheme::gguf_gpt2 && canonical.starts_with("attention.") && canonical.size() == 11 &&
      canonical != "attention.o")
    pattern = "blk.{}.attn_qkv";
  return fmt::format(fmt::runtime(pattern), layer);
}

class Mapper {
 public:
  Mapper(const ModelConfig& config, NameScheme scheme, std::int64_t layer)
      : config_(config), scheme_(scheme), layer_(layer) {}

  void vector(std::string_view name, std::string_view suffix, std::int64_t size) {
    push(name, suffix, {size}, {size}, {.source_rows = size});
  }
  void matrix(std::string_view name, std::int64_t rows, std::int64_t columns) {
    push(name, "weight", {rows, columns}, {rows, columns}, {.source_rows = rows});
  }
  // A projection inside a layer: the matrix that gpt2 keeps transposed, and its bias where there is one.
  void linear(std::string_view name, std::int64_t rows, std::int64_t columns, bool bias) {
    fused(name, rows, columns, bias, 0, rows);
  }
  // The same as rows [first, first + rows) of a tensor of `all` rows.
  void fused(std::string_view name, std::int64_t rows, std::int64_t columns, bool bias, std::int64_t first,
             std::int64_t all) {
    const bool transposed = scheme_ == NameScheme::hf_gpt2;
    const bool turned = scheme_ == NameScheme::gguf_llama && (name == "attention.q" || name == "attention.k");
    const Layout layout{first, all, turned ? config_.head_dim : 0, transposed};
    std::vector<std::int64_t> source{all, columns};
    if (transposed) source = {columns, all};
    push(name, "weight", {rows, columns}, source, layout);
    if (bias) push(name, "bias", {rows}, {all}, {first, all, layout.interleaved, false});
  }

  std::vector<MappedTensor> result;

 private:
  void push(std::string_view name, std::string_view suffix, std::vector<std::int64_t> shape,
            std::vector<std::int64_t> source_shape, Layout layout) {
    std::string canonical =
        layer_ < 0 ? fmt::format("{}.{}", name, suffix) : fmt::format("layers.{}.{}.{}", layer_, name, suffix);
    result.push_back({std::move(canonical), fmt::format("{}.{}", source_stem(name, scheme_, layer_), suffix),
                      std::move(shape), std::move(source_shape), layout});
  }

  const ModelConfig& config_;
  NameScheme scheme_;
  std::int64_t layer_;
};

std::vector<MappedTensor> map_layer(const ModelConfig& c, NameScheme scheme, std::int64_t layer) {
  Mapper m(c, scheme, layer);
  const bool gpt2 = c.family == ModelFamily::gpt2;
  const std::int64_t q = c.heads * c.head_dim;
  const std::int64_t kv = c.kv_heads * c.head_dim;
  m.vector("attention_norm", "weight", c.hidden);
  if (gpt2) m.vector("attention_norm", "bias", c.hidden);
  const std::int64_t all = q + 2 * kv;
  m.fused("attention.q", q, c.hidden, c.qkv_bias, 0, gpt2 ? all : q);
  m.fused("attention.k", kv, c.hidden, c.qkv_bias, gpt2 ? q : 0, gpt2 ? all : kv);
  m.fused("attention.v", kv, c.hidden, c.qkv_bias, gpt2 ? q + kv : 0, gpt2 ? all : kv);
  if (c.qk_norm) {
    m.vector("attention.q_norm", "weight", c.head_dim);
    m.vector("attention.k_norm", "weight", c.head_dim);
  }
  m.linear("attention.o", c.hidden, q, c.o_bias);
  m.vector("mlp_norm", "weight", c.hidden);
  if (gpt2) m.vector("mlp_norm", "bias", c.hidden);
  if (!gpt2) m.linear("mlp.gate", c.intermediate, c.hidden, c.mlp_bias);
  m.linear("mlp.up", c.intermediate, c.hidden, c.mlp_bias);
  m.linear("mlp.down", c.hidden, c.intermediate, c.mlp_bias);
  return std::move(m.result);
}

}  // namespace

std::vector<MappedTensor> map_tensors(const ModelConfig& config, NameScheme scheme, std::int64_t layer) {
  if (layer >= 0) return map_layer(config, scheme, layer);
  Mapper m(config, scheme, layer);
  const bool gpt2 = config.family == ModelFamily::gpt2;
  m.matrix("embed", config.vocab, config.hidden);
  if (gpt2) m.matrix("position", config.context, config.hidden);
  m.vector("final_norm", "weight", config.hidden);
  if (gpt2) m.vector("final_norm", "bias", config.hidden);
  m.matrix("lm_head", config.vocab, config.hidden);
  if (config.tie_embeddings) m.result.back().source = m.result.front().source;
  return std::move(m.result);
}

std::string name_prefix(const IWeightFile& file, NameScheme scheme) {
  if (scheme == NameScheme::hf_llama && file.find("embed_tokens.weight") == nullptr) return "model.";
  if (scheme == NameScheme::hf_gpt2 && file.find("wte.weight") == nullptr) return "transformer.";
  return "";
}

}  // namespace heddle::weights
