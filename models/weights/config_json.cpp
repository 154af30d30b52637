// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/weights/config_source.hpp"
#include "models/weights/json_file.hpp"

namespace heddle::weights {

namespace {

// Typed look-ups that name the file and the key when a value is absent or of another type.
class Fields {
 public:
  Fields(const Json& object, const std::string& path) : object_(object), path_(path) {}

  const Json* get(const char* key) const {
    const auto it = object_.find(key);
    return it == object_.end() || it->is_null() ? nullptr : &*it;
  }
  std::int64_t integer(const char* key) const {
    const Json* v = get(key);
    if (v == nullptr) fail_at({path_}, ErrorKind::bad_input, "HDL-WGT-12", "no '{}'", key);
    return integer_of(*v, key);
  }
  std::int64_t integer(const char* key, std::int64_t fallback) const {
    const Json* v = get(key);
    return v == nullptr ? fallback : integer_of(*v, key);
  }
  double number(const char* key, double fallback) const {
    const Json* v = get(key);
    if (v == nullptr) return fallback;
    if (!v->is_number()) wrong(key, "a number");
    return v->get<double>();
  }
  double number(const char* key) const {
    if (get(key) == nullptr) fail_at({path_}, ErrorKind::bad_input, "HDL-WGT-12", "no '{}'", key);
    return number(key, 0.0);
  }
  bool boolean(const char* key, bool fallback) const {
    const Json* v = get(key);
    if (v == nullptr) return fallback;
    if (!v->is_boolean()) wrong(key, "true or false");
    return v->get<bool>();
  }
  std::string text(const char* key, const std::string& fallback) const {
    const Json* v = get(key);
    if (v == nullptr) return fallback;
    if (!v->is_string()) wrong(key, "a string");
    return v->get<std::string>();
  }
  [[noreturn]] void wrong(const char* key, std::string_view expected) const {
    fail_at({path_}, ErrorKind::bad_input, "HDL-WGT-12", "'{}' is not {}", key, expected);
  }
  std::int64_t integer_of(const Json& v, const char* key) const {
    if (!v.is_number_integer() || (v.is_number_unsigned() && v.get<std::uint64_t>() > INT64_MAX))
      wrong(key, "an integer");
    return v.get<std::int64_t>();
  }
  const std::string& path() const { return path_; }

 private:
  const Json& object_;
  const std::string& path_;
};

Activation activation(const Fields& f, const char* key, const std::string& fallback) {
  const std::string found = f.text(key, fallback);
  if (found == "silu" || found == "swish") return Activation::silu;
  if (found == "gelu") return Activation::gelu;
  if (found == "gelu_new" || found == "gelu_pytorch_tanh" || found == "gelu_fast") return Activation::gelu_tanh;
  fail_at({f.path()}, ErrorKind::unsupported, "HDL-WGT-13",
          "activation '{}' is not supported; supported are silu, gelu, "
          "gelu_new and gelu_pytorch_tanh",
          found);
}

// Older files: rope_theta and rope_scaling {type | rope_type, ...}; newer ones: rope_parameters with both in it.
void read_rope(const Fields& f, ModelConfig& config) {
  config.rope_theta = f.number("rope_theta", 10000.0);
  const char* key = f.get("rope_parameters") != nullptr ? "rope_parameters" : "rope_scaling";
  const Json* scaling = f.get(key);
  if (scaling == nullptr) return;
  if (!scaling->is_object()) f.wrong(key, "an object");
  const Fields s(*scaling, f.path());
  config.rope_theta = s.number("rope_theta", config.rope_theta);
  if (s.number("partial_rotary_factor", 1.0) != 1.0)
    fail_at({f.path()}, ErrorKind::unsupported, "HDL-WGT-13", "partial rotary embeddings are not supported");
  const std::string type = s.text("rope_type", s.text("type", "default"));
  if (type == "default") return;
  const auto pairs = static_cast<std::size_t>(config.head_dim / 2);
  if (type == "linear") {
    config.rope_divisors.assign(pairs, static_cast<float>(s.number("factor")));
  } else if (type == "llama3") {
    config.rope_divisors =
        llama3_rope_divisors(config.rope_theta, config.head_dim, s.number("factor"), s.number("low_freq_factor"),
                             s.number("high_freq_factor"), s.number("original_max_position_embeddings"));
  } else {
    fail_at({f.path()}, ErrorKind::unsupported, "HDL-WGT-13",
            "rope scaling '{}' is not supported; supported are default, linear and llama3", type);
  }
}

void read_llama(const Fields& f, const std::string& type, ModelConfig& config) {
  config.family = ModelFamily::llama;
  config.hidden = f.integer("hidden_size");
  config.layers = f.integer("num_hidden_layers");
  config.heads = f.integer("num_attention_heads");
  config.kv_heads = f.integer("num_key_value_heads", config.heads);
  config.intermediate = f.integer("intermediate_size");
  config.context = f.integer("max_position_embeddings", 2048);
  config.norm_eps = f.number("rms_norm_eps", 1e-6);
  config.head_dim = f.integer("head_dim", config.heads > 0 ? config.hidden / config.heads : 0);
  config.activation = activation(f, "hidden_act", "silu");
  const bool bias = f.boolean("attention_bias", false);
  config.qkv_bias = bias || type == "qwen2";
  config.o_bias = bias;
  config.mlp_bias = f.boolean("mlp_bias", false);
  config.qk_norm = type == "qwen3";
  // Qwen files carry a window that use_sliding_window switches off.
  if (f.get("sliding_window") != nullptr && f.boolean("use_sliding_window", type == "mistral"))
    config.sliding_window = f.integer("sliding_window");
  check(config, f.path());
  read_rope(f, config);
}

void read_gpt2(const Fields& f, ModelConfig& config) {
  config.family = ModelFamily::gpt2;
  config.hidden = f.integer("n_embd");
  config.layers = f.integer("n_layer");
  config.heads = f.integer("n_head");
  config.kv_heads = config.heads;
  config.head_dim = config.heads > 0 ? config.hidden / config.heads : 0;
  if (config.head_dim * config.heads != config.hidden)
    fail_at({f.path()}, ErrorKind::bad_input, "HDL-WGT-12", "n_embd {} is no multiple of n_head {}", config.hidden,
            config.heads);
  constexpr std::int64_t unchecked_limit = std::int64_t{1} << 40;  // keeps the product in range until check()
  config.intermediate = f.integer("n_inner", 4 * std::clamp<std::int64_t>(config.hidden, 0, unchecked_limit));
  config.context = f.integer("n_positions", f.integer("n_ctx", 1024));
  config.norm_eps = f.number("layer_norm_epsilon", 1e-5);
  config.activation = activation(f, "activation_function", "gelu_new");
  config.qkv_bias = config.o_bias = config.mlp_bias = true;
  for (const char* key : {"scale_attn_by_inverse_layer_idx", "reorder_and_upcast_attn", "add_cross_attention"})
    if (f.boolean(key, false)) fail_at({f.path()}, ErrorKind::unsupported, "HDL-WGT-13", "'{}' is not supported", key);
  if (!f.boolean("scale_attn_weights", true))
    fail_at({f.path()}, ErrorKind::unsupported, "HDL-WGT-13", "unscaled attention is not supported");
}

}  // namespace

ConfigAndScheme config_from_json(std::string_view text, const std::string& path) {
  const Json json = parse_json_object(text, path);
  const Fields f(json, path);
  ConfigAndScheme result{};
  ModelConfig& config = result.config;
  const std::string type = f.text("model_type", "");
  config.architecture = type;
  if (const Json* list = f.get("architectures"); list != nullptr && list->is_array() && !list->empty())
    if (list->front().is_string()) config.architecture = list->front().get<std::string>();
  config.name = f.text("_name_or_path", "");
  // The size check precedes every product of two fields: the fields' values are still anything.
  config.vocab = f.integer("vocab_size", 0);
  if (type == "llama" || type == "mistral" || type == "qwen2" || type == "qwen3") {
    result.scheme = NameScheme::hf_llama;
    config.tie_embeddings = f.boolean("tie_word_embeddings", false);
    read_llama(f, type, config);
  } else if (type == "gpt2") {
    result.scheme = NameScheme::hf_gpt2;
    config.tie_embeddings = f.boolean("tie_word_embeddings", true);
    read_gpt2(f, config);
  } else {
    unsupported_architecture(path, config.architecture.empty() ? "(none given)" : config.architecture);
  }
  if (f.get("quantization_config") != nullptr)
    fail_at({path}, ErrorKind::unsupported, "HDL-WGT-13", "a quantised Hugging Face checkpoint (quantization_config)");
  if (f.get("bos_token_id") != nullptr && json["bos_token_id"].is_number()) config.bos_id = f.integer("bos_token_id");
  if (const Json* eos = f.get("eos_token_id")) {
    if (eos->is_array()) {
      for (const Json& id : *eos) config.eos_ids.push_back(f.integer_of(id, "eos_token_id"));
    } else {
      config.eos_ids.push_back(f.integer("eos_token_id"));
    }
  }
  check(config, path);
  return result;
}

}  // namespace heddle::weights
