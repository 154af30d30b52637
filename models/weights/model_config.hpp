// SPDX-License-Identifier: Apache-2.0
// The hyperparameters of a model, from config.json or from GGUF metadata: one set of names for both.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::weights {

enum class ModelFamily : std::uint8_t { llama, gpt2 };
enum class Activation : std::uint8_t {
  silu,       // x * sigmoid(x)
  gelu,       // by erf
  gelu_tanh,  // by the tanh approximation ("gelu_new", "gelu_pytorch_tanh")
};

std::string_view name(ModelFamily family);
std::string_view name(Activation activation);

struct ModelConfig {
  std::string name;          // what the file calls itself; may be empty
  std::string architecture;  // as the file spells it: "LlamaForCausalLM", "llama", "qwen2", ...
  ModelFamily family = ModelFamily::llama;

  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // divides heads
  std::int64_t head_dim = 0;  // even where RoPE is used; heads * head_dim need not be hidden
  std::int64_t intermediate = 0;
  std::int64_t vocab = 0;
  std::int64_t context = 0;  // positions the model was made for
  double norm_eps = 1e-5;    // of RMSNorm (llama) or LayerNorm (gpt2)
  Activation activation = Activation::silu;
  bool tie_embeddings = false;  // lm_head.weight is embed.weight
  bool qkv_bias = false;        // attention.{q,k,v}.bias exist
  bool o_bias = false;          // attention.o.bias exists
  bool mlp_bias = false;        // mlp.*.bias exist
  bool qk_norm = false;         // attention.{q,k}_norm.weight [head_dim] exist (Qwen3)

  // RoPE, rotate-half layout: element i of a head pairs with i + head_dim/2, at the angle
  // position * rope_theta^(-2i/head_dim) / rope_divisors[i]. gpt2 has no RoPE but position.weight.
  double rope_theta = 10000.0;
  std::vector<float> rope_divisors;  // [head_dim/2]; empty: all 1. Holds what linear or llama3 scaling asks for.

  std::optional<std::int64_t> sliding_window;  // keys further back than this are masked (Mistral v0.1)

  std::optional<std::int64_t> bos_id;
  std::vector<std::int64_t> eos_ids;  // any of them ends a generation
  std::string chat_template;          // Jinja text; empty: none
};

// Position i's angular frequency for i in [0, head_dim/2), scaling included: rope_theta^(-2i/head_dim) / divisor.
std::vector<double> rope_frequencies(const ModelConfig& config);

// Divisors of "llama3" scaling (Llama 3.1): wavelengths below original/high pass, above original/low are divided by
// `factor`, between them the two are blended. Formula: transformers' _compute_llama3_parameters.
std::vector<float> llama3_rope_divisors(double theta, std::int64_t head_dim, double factor, double low, double high,
                                        double original_context);

// Throws HDL-WGT-12 where the numbers cannot belong to a model (zero, too large, heads not a multiple of kv_heads,
// odd head_dim), naming `path` and the field.
void check(const ModelConfig& config, const std::string& path);

// Throws HDL-WGT-11, naming the architecture and the supported ones.
[[noreturn]] void unsupported_architecture(const std::string& path, std::string_view found);

}  // namespace heddle::weights
