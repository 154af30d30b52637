// SPDX-License-Identifier: Apache-2.0
// Models, prompts and machines that do not go together: one line that says what was found and what would do.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/tokenizer/tokenizer.hpp"
#include "testbench/model/session/golden_case.hpp"
#include "testbench/unit/weights/build_files.hpp"
#include "testbench/unit/weights/expect_error.hpp"

using namespace heddle;
using namespace heddle::testing;

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void expect_one_line(std::string_view id, std::string_view part, const std::function<void()>& call) {
  expect_error(id, part, [&] {
    try {
      call();
    } catch (const Error& e) {
      CHECK(std::string_view(e.what()).find('\n') == std::string_view::npos);
      throw;
    }
  });
}

}  // namespace

TEST_CASE("more positions than the model's context") {
  expect_one_line("HDL-MDL-02", "600 positions (prompt and new tokens) asked for; the model's context is 512",
                  [] { OpenModel(tiny_model, options_for(500, 100)); });
  expect_one_line("HDL-MDL-02", "0 positions", [] { OpenModel(tiny_model, options_for(0, 0)); });
}

TEST_CASE("prompts that the session cannot take") {
  OpenModel m(tiny_model, options_for(4, 4));
  const Tokens nine(9, 33);
  expect_one_line("HDL-MDL-05", "the prompt has no tokens", [&] { (void)m.session.generate({}, 1, {}); });
  expect_one_line("HDL-MDL-05", "a prompt of 9 tokens and 1 new ones do not fit the session's 8 positions",
                  [&] { (void)m.session.generate(nine, 1, {}); });
  expect_one_line("HDL-MDL-05", "token 1024; the vocabulary has 1024", [&] {
    (void)m.session.generate({{1, 1024}}, 1, {});
  });
  expect_one_line("HDL-MDL-05", "token -1;", [&] { (void)m.session.generate({{-1}}, 1, {}); });
  expect_one_line("HDL-MDL-05", "token 5000;", [&] { (void)m.session.follow({{1}}, {{5000}}); });
  CHECK(m.session.generate({{33}}, 1, {}).tokens.size() == 1);  // and goes on working
}

TEST_CASE("a model larger than the chip's memory: needed, and there is") {
  // 2.9 M parameters in fp32.
  expect_one_line("HDL-MDL-03", "chip edge has 8.0 MiB",
                  [] { OpenModel(tiny_model, options_for(4, 4), {"memory.capacity=8MiB"}); });
  expect_one_line("HDL-MDL-03", "MiB of device memory (weights 1",
                  [] { OpenModel(tiny_model, options_for(4, 4), {"memory.capacity=8MiB"}); });
}

TEST_CASE("a number format that models do not run in") {
  models::SessionOptions o = options_for(4, 4);
  o.dtype = DType::int8;
  expect_one_line("HDL-MDL-01", "models run in fp32 or bf16, not in int8", [&] { OpenModel(tiny_model, o); });
  o.dtype = DType::fp16;
  expect_one_line("HDL-MDL-01", "not in fp16", [&] { OpenModel(tiny_model, o); });
}

TEST_CASE("model files that are damaged or do not fit their config") {
  const std::string config = bytes_of(tiny_model + "/config.json");
  const std::string weights = bytes_of(tiny_model + "/model.safetensors");
  const auto open = [](const std::string& c, const std::string& w) {
    const TempFolder folder;
    folder.write("config.json", c);
    folder.write("model.safetensors", w);
    OpenModel(folder.path(), options_for(4, 4));
  };
  const std::string mamba = replaced(replaced(config, "LlamaForCausalLM", "MambaForCausalLM"),
                                     "\"model_type\": \"llama\"", "\"model_type\": \"mamba\"");
  expect_one_line("HDL-WGT-11", "architecture 'MambaForCausalLM' is not supported; supported are llama",
                  [&] { open(mamba, weights); });
  expect_one_line("HDL-WGT-09", "layers.4",
                  [&] { open(replaced(config, "\"num_hidden_layers\": 4", "\"num_hidden_layers\": 5"), weights); });
  expect_one_line("HDL-WGT-10", "gate_proj",
                  [&] { open(replaced(config, "\"intermediate_size\": 512", "\"intermediate_size\": 513"), weights); });
  const auto cut = [&](std::string_view id, std::size_t kept) {
    INFO(kept << " bytes");
    expect_one_line(id, "model.safetensors", [&] { open(config, weights.substr(0, kept)); });
  };
  cut("HDL-WGT-02", 0);
  cut("HDL-WGT-02", 7);
  cut("HDL-WGT-02", 100);                 // within the header
  cut("HDL-WGT-05", weights.size() / 2);  // a tensor leaves the file
  cut("HDL-WGT-05", weights.size() - 1);
}

TEST_CASE("a GGUF file cut short") {
  const std::string whole = bytes_of(in_tree("testbench/golden/gguf/mini.gguf"));
  const TempFolder folder;
  const auto cut = [&](std::string_view id, std::string_view part, std::size_t kept) {
    INFO(kept << " bytes");
    expect_one_line(id, part, [&] { OpenModel(folder.write("cut.gguf", whole.substr(0, kept)), options_for(4, 4)); });
  };
  cut("HDL-WGT-03", "not a model: expected a folder", 0);
  cut("HDL-WGT-03", "not a model: expected a folder", 3);
  cut("HDL-WGT-02", "cut.gguf", 30);  // within the metadata
  cut("HDL-WGT-05", "truncated or damaged", whole.size() / 2);
  cut("HDL-WGT-05", "truncated or damaged", whole.size() - 1);
}
