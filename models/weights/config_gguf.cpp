// SPDX-License-Identifier: Apache-2.0
// Keys: ggml's docs/gguf.md; "ARCH." stands before those of the architecture.
#include <algorithm>

#include "isa/base/error.hpp"
#include "models/weights/config_source.hpp"

namespace heddle::weights {

namespace {

class Keys {
 public:
  Keys(const GgufFile& file, std::string architecture) : file_(file), architecture_(std::move(architecture)) {}
  std::string full(std::string_view key) const { return fmt::format("{}.{}", architecture_, key); }
  std::int64_t integer(std::string_view key) const {
    if (const auto v = file_.integer(full(key))) return *v;
    fail_at({file_.path()}, ErrorKind::bad_input, "HDL-WGT-12", "no metadata '{}'", full(key));
  }
  std::int64_t integer(std::string_view key, std::int64_t fallback) const {
    return file_.integer(full(key)).value_or(fallback);
  }
  double number(std::string_view key, double fallback) const { return file_.number(full(key)).value_or(fallback); }
  std::string text(std::string_view key, std::string_view fallback) const {
    return std::string(file_.text(full(key)).value_or(fallback));
  }

 private:
  const GgufFile& file_;
  std::string architecture_;
};

// One number for every layer in the files of these families; newer files may give a list, and then all must agree.
std::int64_t head_count(const GgufFile& file, const Keys& keys, std::string_view key) {
  const GgufValue* found = file.value(keys.full(key));
  const auto* list = found == nullptr ? nullptr : std::get_if<GgufArray>(&found->value);
  if (list == nullptr) return keys.integer(key);
  const bool numeric = list->element != GgufType::string && list->element != GgufType::float32 &&
                       list->element != GgufType::float64 && list->count > 0;
  if (numeric) {
    bool same = true;
    for (std::size_t i = 1; i < list->count; ++i) same = same && list->integer(i) == list->integer(0);
    if (same) return list->integer(0);
  }
  fail_at({file.path()}, ErrorKind::unsupported, "HDL-WGT-13", "'{}' differs from layer to layer", keys.full(key));
}

void read_rope(const GgufFile& file, const Keys& keys, ModelConfig& config) {
  config.rope_theta = keys.number("rope.freq_base", 10000.0);
  if (const auto turned = keys.integer("rope.dimension_count", config.head_dim); turned != config.head_dim)
    fail_at({file.path()}, ErrorKind::unsupported, "HDL-WGT-13",
            "rope turns {} of {} elements of a head; partial rotary embeddings are not supported", turned,
            config.head_dim);
  const auto pairs = static_cast<std::size_t>(config.head_dim / 2);
  const std::string type = keys.text("rope.scaling.type", "none");
  if (type == "linear") {
    const double factor = keys.number("rope.scaling.factor", keys.number("rope.scale_linear", 1.0));
    config.rope_divisors.assign(pairs, static_cast<float>(factor));
  } else if (type != "none") {
    fail_at({file.path()}, ErrorKind::unsupported, "HDL-WGT-13",
            "rope scaling '{}' is not supported; supported are none, linear and llama3", type);
  }
  // Llama 3.1's scaling stands in the file as its result.
  if (const TensorInfo* factors = file.find("rope_freqs.weight")) {
    if (factors->shape != std::vector<std::int64_t>{config.head_dim / 2})
      fail_at({file.path()}, ErrorKind::bad_input, "HDL-WGT-10", "tensor 'rope_freqs.weight' is {}, expected [{}]",
              shape_text(factors->shape), config.head_dim / 2);
    config.rope_divisors.resize(pairs);
    file.read(*factors, 0, config.rope_divisors);
  }
}

void read_tokens(const GgufFile& file, ModelConfig& config) {
  config.bos_id = file.integer("tokenizer.ggml.bos_token_id");
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"})
    if (const auto id = file.integer(key); id && (config.eos_ids.empty() || config.eos_ids.front() != *id))
      config.eos_ids.push_back(*id);
  config.chat_template = std::string(file.text("tokenizer.chat_template").value_or(""));
}

}  // namespace

ConfigAndScheme config_from_gguf(const GgufFile& file) {
  ConfigAndScheme result{};
  ModelConfig& config = result.config;
  config.architecture = std::string(file.text("general.architecture").value_or("(none given)"));
  config.name = std::string(file.text("general.name").value_or(""));
  const std::string& arch = config.architecture;
  if (arch == "llama") {
    result.scheme = NameScheme::gguf_llama;
  } else if (arch == "qwen2" || arch == "qwen3") {
    result.scheme = NameScheme::gguf_neox;
  } else if (arch == "gpt2") {
    result.scheme = NameScheme::gguf_gpt2;
  } else {
    unsupported_architecture(file.path(), arch);
  }
  const bool gpt2 = arch == "gpt2";
  config.family = gpt2 ? ModelFamily::gpt2 : ModelFamily::llama;
  config.activation = gpt2 ? Activation::gelu_tanh : Activation::silu;
  const Keys keys(file, arch);
  if (keys.integer("expert_count", 0) > 0) unsupported_architecture(file.path(), arch + " with experts");

  config.layers = keys.integer("block_count");
  config.hidden = keys.integer("embedding_length");
  config.heads = head_count(file, keys, "attention.head_count");
  config.kv_heads = file.value(keys.full("attention.head_count_kv")) != nullptr
                        ? head_count(file, keys, "attention.head_count_kv")
                        : config.heads;
  config.intermediate =
      gpt2 ? keys.integer("feed_forward_length", 4 * std::clamp<std::int64_t>(config.hidden, 0, 1 << 26))
           : head_count(file, keys, "feed_forward_length");
  config.context = keys.integer("context_length");
  config.head_dim = keys.integer("attention.key_length", config.heads > 0 ? config.hidden / config.heads : 0);
  if (keys.integer("attention.value_length", config.head_dim) != config.head_dim)
    fail_at({file.path()}, ErrorKind::unsupported, "HDL-WGT-13", "heads whose keys and values differ in size");
  config.norm_eps = keys.number(gpt2 ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", 1e-5);
  if (const auto window = keys.integer("attention.sliding_window", 0); window > 0) config.sliding_window = window;
  if (const TensorInfo* embed = file.find("token_embd.weight"); embed != nullptr && embed->shape.size() == 2)
    config.vocab = embed->shape[0];
  config.vocab = keys.integer("vocab_size", config.vocab);
  config.tie_embeddings = file.find("output.weight") == nullptr;
  config.qkv_bias = gpt2 || arch == "qwen2" || file.find("blk.0.attn_q.bias") != nullptr;
  config.o_bias = gpt2 || file.find("blk.0.attn_output.bias") != nullptr;
  config.mlp_bias = gpt2 || file.find("blk.0.ffn_down.bias") != nullptr;
  config.qk_norm = arch == "qwen3";
  check(config, file.path());
  if (!gpt2) read_rope(file, keys, config);
  read_tokens(file, config);
  check(config, file.path());
  return result;
}

}  // namespace heddle::weights
