// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "models/weights/config_source.hpp"
#include "testbench/unit/weights/build_files.hpp"
#include "testbench/unit/weights/expect_error.hpp"

using namespace heddle;
using namespace heddle::testing;
using namespace heddle::weights;

namespace {

ConfigAndScheme from_json(const std::string& text) { return config_from_json(text, "m/config.json"); }

// The config.json of SmolLM2-135M, with more fields put before the end.
std::string smollm(const std::string& more = "") {
  return R"({"architectures":["LlamaForCausalLM"],"attention_bias":false,"bos_token_id":1,"eos_token_id":2,)"
         R"("hidden_act":"silu","hidden_size":576,"initializer_range":0.04,"intermediate_size":1536,)"
         R"("is_llama_config":true,"max_position_embeddings":8192,"model_type":"llama","num_attention_heads":9,)"
         R"("num_hidden_layers":30,"num_key_value_heads":3,"pretraining_tp":1,"rms_norm_eps":1e-05,)"
         R"("rope_scaling":null,"rope_theta":100000,"tie_word_embeddings":true,"vocab_size":49152)" +
         more + "}";
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

GgufBuilder gguf(const std::string& arch) {
  GgufBuilder b;
  b.text("general.architecture", arch);
  for (const auto& [key, value] : std::map<std::string, std::uint32_t>{{"block_count", 2},
                                                                       {"context_length", 64},
                                                                       {"embedding_length", 8},
                                                                       {"feed_forward_length", 12},
                                                                       {"attention.head_count", 4},
                                                                       {"attention.head_count_kv", 2}})
    b.u32(arch + "." + key, value);
  b.floats("token_embd.weight", {5, 8}, ramp(40));
  return b;
}
ConfigAndScheme from_gguf(const GgufBuilder& b) { return config_from_gguf(GgufFile(file_of(b.bytes(), "m.gguf"))); }

}  // namespace

TEST_CASE("a Llama config.json") {
  const auto [c, scheme] = from_json(smollm());
  CHECK(scheme == NameScheme::hf_llama);
  CHECK(c.family == ModelFamily::llama);
  CHECK(c.architecture == "LlamaForCausalLM");
  CHECK((c.hidden == 576 && c.layers == 30 && c.heads == 9 && c.kv_heads == 3 && c.head_dim == 64));
  CHECK((c.intermediate == 1536 && c.vocab == 49152 && c.context == 8192));
  CHECK(c.norm_eps == 1e-5);
  CHECK(c.rope_theta == 100000.0);
  CHECK(c.rope_divisors.empty());
  CHECK(c.tie_embeddings);
  CHECK_FALSE((c.qkv_bias || c.o_bias || c.mlp_bias || c.qk_norm));
  CHECK(c.bos_id == 1);
  CHECK(c.eos_ids == std::vector<std::int64_t>{2});
  CHECK(c.activation == Activation::silu);
}

TEST_CASE("the variants of a Llama-like config.json") {
  const auto qwen2 =
      from_json(replaced(smollm(R"(,"sliding_window":4096,"use_sliding_window":false)"), "\"llama\"", "\"qwen2\""))
          .config;
  CHECK(qwen2.qkv_bias);
  CHECK_FALSE(qwen2.o_bias);
  CHECK_FALSE(qwen2.sliding_window);
  const auto qwen3 = from_json(replaced(smollm(R"(,"head_dim":128)"), "\"llama\"", "\"qwen3\"")).config;
  CHECK(qwen3.qk_norm);
  CHECK_FALSE(qwen3.qkv_bias);
  CHECK(qwen3.head_dim == 128);
  const auto mistral = from_json(replaced(smollm(R"(,"sliding_window":4096)"), "\"llama\"", "\"mistral\"")).config;
  CHECK(mistral.sliding_window == 4096);
  const auto biased =
      from_json(replaced(smollm(R"(,"mlp_bias":true)"), "\"attention_bias\":false", "\"attention_bias\":true")).config;
  CHECK((biased.qkv_bias && biased.o_bias && biased.mlp_bias));
  const auto many = from_json(replaced(smollm(), "\"eos_token_id\":2", "\"eos_token_id\":[128001,128009]")).config;
  CHECK(many.eos_ids == std::vector<std::int64_t>{128001, 128009});
}

TEST_CASE("rope scaling in the older and the newer spelling") {
  const std::string llama3 =
      R"("factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":8192)";
  const auto with = [&](const std::string& field) {
    return from_json(replaced(smollm(R"(,"head_dim":128)"), "\"rope_scaling\":null,\"rope_theta\":100000", field))
        .config;
  };
  for (const auto& c : {with(R"("rope_theta":500000.0,"rope_scaling":{"rope_type":"llama3",)" + llama3 + "}"),
                        with(R"("rope_parameters":{"rope_theta":500000.0,"rope_type":"llama3",)" + llama3 + "}")}) {
    // From transformers' formula in Python floats, for Llama 3.1: head_dim 128, theta 500000.
    REQUIRE(c.rope_divisors.size() == 64);
    CHECK(c.rope_divisors[0] == 1.0f);
    CHECK(c.rope_divisors[28] == 1.0f);
    CHECK(c.rope_divisors[29] == Approx(1.207483871283662).epsilon(1e-6));
    CHECK(c.rope_divisors[32] == Approx(2.694529687894733).epsilon(1e-6));
    CHECK(c.rope_divisors[34] == Approx(5.257326588708467).epsilon(1e-6));
    CHECK(c.rope_divisors[35] == 8.0f);
    CHECK(c.rope_divisors[63] == 8.0f);
    CHECK(rope_frequencies(c)[0] == 1.0);
    CHECK(rope_frequencies(c)[40] == Approx(std::pow(500000.0, -80.0 / 128.0) / 8.0));
  }
  CHECK(with(R"("rope_scaling":{"type":"linear","factor":2.5})").rope_divisors == std::vector<float>(64, 2.5f));
  CHECK(with(R"("rope_parameters":{"rope_theta":7.0,"rope_type":"default"})").rope_theta == 7.0);
  expect_error("HDL-WGT-13", "'yarn' is not supported", [&] { with(R"("rope_scaling":{"type":"yarn","factor":2})"); });
  expect_error("HDL-WGT-12", "no 'factor'", [&] { with(R"("rope_scaling":{"type":"linear"})"); });
  expect_error("HDL-WGT-12", "rope scaling factor is 0",
               [&] { with(R"("rope_scaling":{"type":"linear","factor":0})"); });
}

TEST_CASE("a GPT-2 config.json") {
  const std::string text =
      R"({"model_type":"gpt2","n_embd":768,"n_head":12,"n_layer":12,"n_positions":1024,"vocab_size":50257,)"
      R"("layer_norm_epsilon":1e-05,"activation_function":"gelu_new","eos_token_id":50256)";
  const auto [c, scheme] = from_json(text + "}");
  CHECK(scheme == NameScheme::hf_gpt2);
  CHECK((c.hidden == 768 && c.head_dim == 64 && c.kv_heads == 12 && c.intermediate == 3072 && c.context == 1024));
  CHECK((c.qkv_bias && c.o_bias && c.mlp_bias && c.tie_embeddings));
  CHECK(c.activation == Activation::gelu_tanh);
  CHECK(from_json(text + R"(,"n_inner":100})").config.intermediate == 100);
  expect_error("HDL-WGT-13", "scale_attn_by_inverse_layer_idx",
               [&] { from_json(text + R"(,"scale_attn_by_inverse_layer_idx":true})"); });
}

TEST_CASE("a config.json that makes no sense is refused by name") {
  const auto refused = [&](const std::string& from, const std::string& to, std::string_view id, std::string_view part) {
    CAPTURE(to);
    expect_error(id, part, [&] { from_json(replaced(smollm(), from, to)); });
  };
  refused(
      "\"llama\"", "\"mamba\"", "HDL-WGT-11",
      "architecture 'LlamaForCausalLM' is not supported; supported are llama (Llama, SmolLM), mistral, qwen2, qwen3");
  refused("\"hidden_size\":576", "\"hidden\":576", "HDL-WGT-12", "no 'hidden_size'");
  refused("\"hidden_size\":576", "\"hidden_size\":\"576\"", "HDL-WGT-12", "'hidden_size' is not an integer");
  refused("\"hidden_size\":576", "\"hidden_size\":99999999999999999999", "HDL-WGT-12", "not an integer");
  refused("\"num_hidden_layers\":30", "\"num_hidden_layers\":2000000000", "HDL-WGT-12", "number of layers");
  refused("\"num_attention_heads\":9", "\"num_attention_heads\":0", "HDL-WGT-12", "number of heads is 0");
  refused("\"num_attention_heads\":9", "\"num_attention_heads\":8", "HDL-WGT-12", "8 heads are no multiple of 3");
  refused("\"num_attention_heads\":9", "\"num_attention_heads\":192", "HDL-WGT-12", "head size is 3");
  refused("\"vocab_size\":49152", "\"vocab_size\":-1", "HDL-WGT-12", "vocabulary size is -1");
  refused("\"rms_norm_eps\":1e-05", "\"rms_norm_eps\":-1", "HDL-WGT-12", "epsilon");
  refused("\"rope_theta\":100000", "\"rope_theta\":0", "HDL-WGT-12", "theta");
  refused("\"hidden_act\":\"silu\"", "\"hidden_act\":\"relu\"", "HDL-WGT-13", "'relu'");
  refused("\"model_type\"", "\"quantization_config\":{},\"model_type\"", "HDL-WGT-13", "quantised");
  expect_error("HDL-WGT-04", "m/config.json", [] { from_json("{"); });
  expect_error("HDL-WGT-11", "(none given)", [] { from_json("{}"); });
}

TEST_CASE("a config from GGUF metadata") {
  GgufBuilder b = gguf("llama");
  b.f32("llama.rope.freq_base", 5000.0f);
  b.f32("llama.attention.layer_norm_rms_epsilon", 1e-6f);
  b.u32("tokenizer.ggml.bos_token_id", 1);
  b.u32("tokenizer.ggml.eos_token_id", 2);
  b.text("tokenizer.chat_template", "{{ x }}");
  const auto [c, scheme] = from_gguf(b);
  CHECK(scheme == NameScheme::gguf_llama);
  CHECK((c.hidden == 8 && c.layers == 2 && c.heads == 4 && c.kv_heads == 2 && c.head_dim == 2 && c.vocab == 5));
  CHECK(c.norm_eps == static_cast<double>(1e-6f));
  CHECK(c.rope_theta == 5000.0);
  CHECK(c.tie_embeddings);
  CHECK(c.chat_template == "{{ x }}");
  CHECK(c.eos_ids == std::vector<std::int64_t>{2});

  b.floats("output.weight", {5, 8}, ramp(40));
  b.floats("rope_freqs.weight", {1}, {8.0f});
  const auto untied = from_gguf(b).config;
  CHECK_FALSE(untied.tie_embeddings);
  CHECK(untied.rope_divisors == std::vector<float>{8.0f});
  CHECK(from_gguf(gguf("qwen2")).config.qkv_bias);
  CHECK(from_gguf(gguf("qwen2")).scheme == NameScheme::gguf_neox);
  CHECK(from_gguf(gguf("qwen3")).config.qk_norm);
  CHECK(from_gguf(gguf("gpt2")).scheme == NameScheme::gguf_gpt2);
}

TEST_CASE("GGUF metadata that cannot be served is refused by name") {
  expect_error("HDL-WGT-11", "architecture 'falcon' is not supported", [] { from_gguf(gguf("falcon")); });
  expect_error("HDL-WGT-11", "(none given)", [] { from_gguf(GgufBuilder()); });
  const auto with = [](auto change) {
    GgufBuilder b = gguf("llama");
    change(b);
    return from_gguf(b);
  };
  expect_error("HDL-WGT-11", "experts", [&] { with([](auto& b) { b.u32("llama.expert_count", 8); }); });
  expect_error("HDL-WGT-13", "partial rotary", [&] { with([](auto& b) { b.u32("llama.rope.dimension_count", 1); }); });
  expect_error("HDL-WGT-13", "'yarn'", [&] { with([](auto& b) { b.text("llama.rope.scaling.type", "yarn"); }); });
  expect_error("HDL-WGT-10", "rope_freqs.weight",
               [&] { with([](auto& b) { b.floats("rope_freqs.weight", {3}, ramp(3)); }); });
  expect_error("HDL-WGT-12", "no metadata 'llama.block_count'", [] {
    GgufBuilder b;
    b.text("general.architecture", "llama");
    from_gguf(b);
  });
  expect_error("HDL-WGT-13", "differs from layer to layer", [] {
    GgufBuilder b;
    b.text("general.architecture", "llama");
    b.u32("llama.block_count", 2);
    b.u32("llama.embedding_length", 8);
    b.array<std::int32_t>("llama.attention.head_count", 5, {2, 4});
    from_gguf(b);
  });
}
