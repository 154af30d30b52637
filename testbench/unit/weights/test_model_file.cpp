// SPDX-License-Identifier: Apache-2.0
#include "models/weights/model_file.hpp"

#include "testbench/unit/weights/build_files.hpp"
#include "testbench/unit/weights/expect_error.hpp"

using namespace heddle;
using namespace heddle::testing;
using namespace heddle::weights;

namespace {

// A Llama of one layer: hidden 8, 2 heads of 4, 1 key/value head, MLP 6, vocabulary 5; each tensor a ramp of its own.
struct TinyTensor {
  std::string hf, gguf;
  std::vector<std::uint64_t> shape;
  float from;
  std::uint64_t heads = 0;  // whose rows GGUF interleaves
};
const std::vector<TinyTensor> tiny_tensors = {
    {"model.embed_tokens.weight", "token_embd.weight", {5, 8}, 0},
    {"model.norm.weight", "output_norm.weight", {8}, 100},
    {"lm_head.weight", "output.weight", {5, 8}, 200},
    {"model.layers.0.input_layernorm.weight", "blk.0.attn_norm.weight", {8}, 300},
    {"model.layers.0.self_attn.q_proj.weight", "blk.0.attn_q.weight", {8, 8}, 400, 2},
    {"model.layers.0.self_attn.k_proj.weight", "blk.0.attn_k.weight", {4, 8}, 500, 1},
    {"model.layers.0.self_attn.v_proj.weight", "blk.0.attn_v.weight", {4, 8}, 600},
    {"model.layers.0.self_attn.o_proj.weight", "blk.0.attn_output.weight", {8, 8}, 700},
    {"model.layers.0.post_attention_layernorm.weight", "blk.0.ffn_norm.weight", {8}, 800},
    {"model.layers.0.mlp.gate_proj.weight", "blk.0.ffn_gate.weight", {6, 8}, 900},
    {"model.layers.0.mlp.up_proj.weight", "blk.0.ffn_up.weight", {6, 8}, 1000},
    {"model.layers.0.mlp.down_proj.weight", "blk.0.ffn_down.weight", {8, 6}, 1100},
};
const std::string tiny_config =
    R"({"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_size":8,"num_hidden_layers":1,)"
    R"("num_attention_heads":2,"num_key_value_heads":1,"intermediate_size":6,"vocab_size":5,)"
    R"("max_position_embeddings":32,"tie_word_embeddings":false,"eos_token_id":2})";

std::int64_t count(const TinyTensor& t) {
  std::uint64_t n = 1;
  for (const auto d : t.shape) n *= d;
  return static_cast<std::int64_t>(n);
}
std::string hf_weights(const std::string& without = "", const std::string& name_prefix = "model.") {
  SafetensorsBuilder b;
  for (const TinyTensor& t : tiny_tensors) {
    if (t.hf == without) continue;
    const std::string name = t.hf.starts_with("model.") ? name_prefix + t.hf.substr(6) : t.hf;
    b.floats(name, t.shape.size() == 1 ? "[8]" : fmt::format("[{},{}]", t.shape[0], t.shape[1]),
             ramp(count(t), t.from));
  }
  return b.bytes();
}

// The converter's permutation: view [heads, 2, d/2, columns], swap the middle two.
std::vector<float> interleaved(const std::vector<float>& w, std::size_t heads, std::size_t rows, std::size_t columns) {
  const std::size_t d = rows / heads;
  std::vector<float> out;
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t pair = 0; pair < d / 2; ++pair)
      for (std::size_t half = 0; half < 2; ++half)
        for (std::size_t c = 0; c < columns; ++c) out.push_back(w[(h * d + half * (d / 2) + pair) * columns + c]);
  return out;
}
GgufBuilder gguf_model(const std::string& arch = "llama", const std::string& without = "") {
  GgufBuilder b;
  b.text("general.architecture", arch);
  for (const auto& [key, value] : std::map<std::string, std::uint32_t>{{"block_count", 1},
                                                                       {"context_length", 32},
                                                                       {"embedding_length", 8},
                                                                       {"feed_forward_length", 6},
                                                                       {"attention.head_count", 2},
                                                                       {"attention.head_count_kv", 1}})
    b.u32(arch + "." + key, value);
  for (const TinyTensor& t : tiny_tensors) {
    if (t.gguf == without) continue;
    auto values = ramp(count(t), t.from);
    if (t.heads > 0 && arch == "llama") values = interleaved(values, t.heads, t.shape[0], t.shape[1]);
    b.floats(t.gguf, t.shape, values);
  }
  return b;
}

void check_tiny(const ModelFile& model) {
  CHECK(model.tensors().size() == 12);
  CHECK(model.parameters() == 5 * 8 * 2 + 8 * 3 + 64 + 32 * 2 + 64 + 48 * 3);
  CHECK(model.read("embed.weight") == ramp(40));
  CHECK(model.read("lm_head.weight") == ramp(40, 200));
  CHECK(model.read("final_norm.weight") == ramp(8, 100));
  CHECK(model.read("layers.0.attention.q.weight") == ramp(64, 400));
  CHECK(model.read("layers.0.attention.k.weight") == ramp(32, 500));
  CHECK(model.read("layers.0.attention.v.weight") == ramp(32, 600));
  CHECK(model.read("layers.0.attention.o.weight") == ramp(64, 700));
  CHECK(model.read("layers.0.mlp_norm.weight") == ramp(8, 800));
  CHECK(model.read("layers.0.mlp.gate.weight") == ramp(48, 900));
  CHECK(model.read("layers.0.mlp.up.weight") == ramp(48, 1000));
  CHECK(model.read("layers.0.mlp.down.weight") == ramp(48, 1100));
  std::vector<float> rows(3 * 8);
  model.read_rows("layers.0.attention.q.weight", 3, 3, rows);
  CHECK(rows == ramp(24, 400 + 3 * 8));
  expect_error("HDL-WGT-14", "rows [6, +3)", [&] { model.read_rows("layers.0.attention.q.weight", 6, 3, rows); });
  expect_error("HDL-WGT-14", "", [&] { model.read_rows("layers.0.attention.q.weight", 0, 2, rows); });
  expect_error("HDL-WGT-09", "no tensor 'layers.1", [&] { (void)model.read("layers.1.attention.q.weight"); });
}

}  // namespace

TEST_CASE("safetensors and GGUF give the same model under the same names") {
  const TempFolder folder;
  folder.write("config.json", tiny_config);
  const std::string weights = folder.write("model.safetensors", hf_weights());
  check_tiny(load_model(folder.path()));
  check_tiny(load_model(weights));
  check_tiny(load_model(folder.write("tiny.gguf", gguf_model().bytes())));
  // The content says what a file is, not its name.
  check_tiny(load_model(folder.write("tiny.bin", gguf_model().bytes())));
  folder.write("model.safetensors", hf_weights("", ""));
  check_tiny(load_model(folder.path()));
}

TEST_CASE("a sharded model opens by its folder, its index, or any shard") {
  const TempFolder folder;
  folder.write("config.json", tiny_config);
  SafetensorsBuilder shards[2];
  std::string map;
  for (std::size_t i = 0; i < tiny_tensors.size(); ++i) {
    const TinyTensor& t = tiny_tensors[i];
    shards[i % 2].floats(t.hf, t.shape.size() == 1 ? "[8]" : fmt::format("[{},{}]", t.shape[0], t.shape[1]),
                         ramp(count(t), t.from));
    map += fmt::format("{}\"{}\":\"model-{}.safetensors\"", map.empty() ? "" : ",", t.hf, i % 2);
  }
  folder.write("model-0.safetensors", shards[0].bytes());
  folder.write("model-1.safetensors", shards[1].bytes());
  folder.write("model.safetensors.index.json", "{\"weight_map\":{" + map + "}}");
  check_tiny(load_model(folder.path()));
  check_tiny(load_model(folder.path("model.safetensors.index.json")));
  check_tiny(load_model(folder.path("model-1.safetensors")));
}

TEST_CASE("the rows of q and k stay as they are where GGUF does not interleave them") {
  GgufBuilder b = gguf_model("qwen2");
  for (const auto& [name, n] : std::map<std::string, std::uint64_t>{{"q", 8}, {"k", 4}, {"v", 4}})
    b.floats("blk.0.attn_" + name + ".bias", {n}, ramp(static_cast<std::int64_t>(n), 50));
  const TempFolder folder;
  const ModelFile model = load_model(folder.write("m.gguf", b.bytes()));
  CHECK(model.read("layers.0.attention.q.weight") == ramp(64, 400));
  CHECK(model.read("layers.0.attention.k.bias") == ramp(4, 50));
  CHECK(model.config().qkv_bias);
}

TEST_CASE("a bias of an interleaved projection is put in order too") {
  GgufBuilder b = gguf_model();
  b.floats("blk.0.attn_q.bias", {8}, interleaved(ramp(8), 2, 8, 1));
  b.floats("blk.0.attn_k.bias", {4}, interleaved(ramp(4), 1, 4, 1));
  b.floats("blk.0.attn_v.bias", {4}, ramp(4));
  const TempFolder folder;
  const ModelFile model = load_model(folder.write("m.gguf", b.bytes()));
  CHECK(model.read("layers.0.attention.q.bias") == ramp(8));
  CHECK(model.read("layers.0.attention.k.bias") == ramp(4));
}

TEST_CASE("tied embeddings: lm_head reads embed, and counts once") {
  const TempFolder folder;
  const ModelFile model = load_model(folder.write("m.gguf", gguf_model("llama", "output.weight").bytes()));
  CHECK(model.config().tie_embeddings);
  CHECK(model.read("lm_head.weight") == ramp(40));
  CHECK(model.parameters() == 40 + 24 + 64 + 64 + 64 + 144);
}

TEST_CASE("missing and misshapen tensors are named, with what was expected") {
  const TempFolder folder;
  folder.write("config.json", tiny_config);
  folder.write("model.safetensors", hf_weights("model.layers.0.mlp.up_proj.weight"));
  expect_error("HDL-WGT-09", "no tensor 'model.layers.0.mlp.up_proj.weight', expected [6, 8] of it",
               [&] { load_model(folder.path()); });
  folder.write("model.safetensors", hf_weights("lm_head.weight"));
  expect_error("HDL-WGT-09", "'lm_head.weight'", [&] { load_model(folder.path()); });
  folder.write("model.safetensors", hf_weights());
  std::string wider = tiny_config;
  folder.write("config.json", wider.replace(wider.find("_size\":6"), 8, "_size\":7"));
  expect_error("HDL-WGT-10", "'model.layers.0.mlp.gate_proj.weight' has shape [6, 8], expected [7, 8]",
               [&] { load_model(folder.path()); });
}

TEST_CASE("paths that lead to no model") {
  const TempFolder folder;
  expect_error("HDL-WGT-01", "No such file", [&] { load_model(folder.path("absent")); });
  expect_error("HDL-WGT-01", "no *.safetensors", [&] { load_model(folder.path()); });
  const std::string weights = folder.write("model.safetensors", hf_weights());
  expect_error("HDL-WGT-01", "config.json", [&] { load_model(weights); });
  expect_error("HDL-WGT-03", "not a model", [&] { load_model(folder.write("notes.txt", "hello")); });
  expect_error("HDL-WGT-03", "not a model", [&] { load_model(folder.write("empty", "")); });
  folder.write("config.json", tiny_config);
  folder.write("model.safetensors", "");
  expect_error("HDL-WGT-02", "truncated", [&] { load_model(folder.path()); });
}

TEST_CASE("end tokens and chat template come from the files beside config.json") {
  const TempFolder folder;
  folder.write("config.json", tiny_config);
  folder.write("model.safetensors", hf_weights());
  folder.write("generation_config.json", R"({"eos_token_id":[2,4]})");
  folder.write("tokenizer_config.json", R"({"chat_template":[{"name":"tool","template":"x"},
                                                             {"name":"default","template":"y"}]})");
  CHECK(load_model(folder.path()).config().eos_ids == std::vector<std::int64_t>{2, 4});
  CHECK(load_model(folder.path()).config().chat_template == "y");
  folder.write("chat_template.jinja", "z");
  CHECK(load_model(folder.path()).config().chat_template == "z");
}

namespace {

// GPT-2 of one layer: hidden 4, 2 heads, MLP 16, vocabulary 3, 5 positions. Element [out o, in i] of projection p is
// 1000 p + 100 o + i.
std::vector<float> projection(int p, int outputs, int inputs, bool transposed) {
  std::vector<float> out;
  const auto value = [&](int o, int i) { return static_cast<float>(1000 * p + 100 * o + i); };
  for (int a = 0; a < (transposed ? inputs : outputs); ++a)
    for (int b = 0; b < (transposed ? outputs : inputs); ++b) out.push_back(transposed ? value(b, a) : value(a, b));
  return out;
}

void check_gpt2(const ModelFile& model) {
  const auto fused = projection(1, 12, 4, false);
  const auto rows = [&](int first) {
    return std::vector<float>(fused.begin() + first * 4, fused.begin() + first * 4 + 16);
  };
  CHECK(model.read("layers.0.attention.q.weight") == rows(0));
  CHECK(model.read("layers.0.attention.k.weight") == rows(4));
  CHECK(model.read("layers.0.attention.v.weight") == rows(8));
  CHECK(model.read("layers.0.attention.v.bias") == ramp(4, 8));
  CHECK(model.read("layers.0.attention.o.weight") == projection(2, 4, 4, false));
  CHECK(model.read("layers.0.mlp.up.weight") == projection(3, 16, 4, false));
  CHECK(model.read("layers.0.mlp.down.weight") == projection(4, 4, 16, false));
  CHECK(model.read("position.weight") == ramp(20));
  CHECK(model.tensor("layers.0.mlp.up.weight").shape == std::vector<std::int64_t>{16, 4});
  CHECK(model.has("layers.0.mlp_norm.bias"));
  CHECK_FALSE(model.has("layers.0.mlp.gate.weight"));
  std::vector<float> two(8);
  model.read_rows("layers.0.attention.k.weight", 1, 2, two);
  CHECK(two == std::vector<float>(fused.begin() + 20, fused.begin() + 28));
}

}  // namespace

TEST_CASE("GPT-2: transposed and fused projections become [out, in] and separate") {
  const TempFolder folder;
  for (const std::string prefix : {"", "transformer."}) {
    SafetensorsBuilder b;
    const std::string layer = prefix + "h.0.";
    b.floats(prefix + "wte.weight", "[3,4]", ramp(12));
    b.floats(prefix + "wpe.weight", "[5,4]", ramp(20));
    b.floats(layer + "attn.c_attn.weight", "[4,12]", projection(1, 12, 4, true));
    b.floats(layer + "attn.c_attn.bias", "[12]", ramp(12));
    b.floats(layer + "attn.c_proj.weight", "[4,4]", projection(2, 4, 4, true));
    b.floats(layer + "mlp.c_fc.weight", "[4,16]", projection(3, 16, 4, true));
    b.floats(layer + "mlp.c_fc.bias", "[16]", ramp(16));
    b.floats(layer + "mlp.c_proj.weight", "[16,4]", projection(4, 4, 16, true));
    for (const char* name :
         {"attn.c_proj.bias", "mlp.c_proj.bias", "ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias"})
      b.floats(layer + name, "[4]", ramp(4));
    for (const char* name : {"ln_f.weight", "ln_f.bias"}) b.floats(prefix + name, "[4]", ramp(4));
    b.tensor(layer + "attn.bias", "BOOL", "[1,1,2,2]", std::string("\x01\x00\x01\x01", 4));  // a mask: ignored
    folder.write("model.safetensors", b.bytes());
    folder.write("config.json",
                 R"({"model_type":"gpt2","n_embd":4,"n_head":2,"n_layer":1,"n_positions":5,"vocab_size":3})");
    check_gpt2(load_model(folder.path()));
  }
}

TEST_CASE("GPT-2 from GGUF: fused, but not transposed") {
  GgufBuilder b;
  b.text("general.architecture", "gpt2");
  for (const auto& [key, value] : std::map<std::string, std::uint32_t>{{"block_count", 1},
                                                                       {"context_length", 5},
                                                                       {"embedding_length", 4},
                                                                       {"feed_forward_length", 16},
                                                                       {"attention.head_count", 2}})
    b.u32("gpt2." + key, value);
  b.floats("token_embd.weight", {3, 4}, ramp(12));
  b.floats("position_embd.weight", {5, 4}, ramp(20));
  b.floats("blk.0.attn_qkv.weight", {12, 4}, projection(1, 12, 4, false));
  b.floats("blk.0.attn_qkv.bias", {12}, ramp(12));
  b.floats("blk.0.attn_output.weight", {4, 4}, projection(2, 4, 4, false));
  b.floats("blk.0.ffn_up.weight", {16, 4}, projection(3, 16, 4, false));
  b.floats("blk.0.ffn_up.bias", {16}, ramp(16));
  b.floats("blk.0.ffn_down.weight", {4, 16}, projection(4, 4, 16, false));
  for (const char* name :
       {"blk.0.attn_output.bias", "blk.0.ffn_down.bias", "blk.0.attn_norm.weight", "blk.0.attn_norm.bias",
        "blk.0.ffn_norm.weight", "blk.0.ffn_norm.bias", "output_norm.weight", "output_norm.bias"})
    b.floats(name, {4}, ramp(4));
  const TempFolder folder;
  check_gpt2(load_model(folder.write("m.gguf", b.bytes())));
}
