// SPDX-License-Identifier: Apache-2.0
// Logits, tokens and text against Hugging Face transformers on the same weights.
#include "models/tokenizer/tokenizer.hpp"
#include "testbench/model/session/golden_case.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::testing;

namespace {

// fp32 sums in another order stay about 1e-6 of the range apart; a wrong model is 1e-2 and more.
constexpr double fp32_limit = 1e-5;

void check_logits(const std::string& model, const std::string& name) {
  const GoldenCase golden = golden_case(name);
  const Difference d = compare(golden, score(model, golden.tokens, options_for(golden.tokens.size(), 0)));
  INFO(name << ": " << d.of_range << " of the range");
  CHECK(d.of_range < fp32_limit);
  CHECK(d.top1 == 1);
}

void check_greedy(const std::string& model, const std::string& name) {
  const GoldenCase golden = golden_case(name);
  OpenModel m(model, options_for(golden.tokens.size(), golden.greedy.size()));
  Tokens streamed;
  const models::Generation g = m.session.generate(golden.tokens, static_cast<std::int64_t>(golden.greedy.size()), {},
                                                  [&](std::int32_t t) { streamed.push_back(t); });
  CHECK(g.tokens == golden.greedy);
  CHECK(streamed == golden.greedy);
  CHECK_FALSE(g.ended);
  CHECK(g.prefill.tokens == static_cast<std::int64_t>(golden.tokens.size()));
  CHECK(g.decode.launches == static_cast<std::int64_t>(golden.greedy.size()) - 1);
  Tokens all = golden.tokens;
  all.insert(all.end(), g.tokens.begin(), g.tokens.end());
  CHECK(tokenizer::load_tokenizer(model).decode(all) == golden.greedy_text);
}

void check_family(const std::string& folder) {
  const std::string model = in_tree("testbench/golden/families/" + folder);
  check_logits(model, "families/" + folder + "/case");
  check_greedy(model, "families/" + folder + "/case");
}

}  // namespace

TEST_CASE("tiny model, fp32: the logits of transformers") {
  for (const char* name : {"genesis", "speech", "one_token"}) check_logits(tiny_model, std::string("tiny/") + name);
}
TEST_CASE("tiny model, fp32: the logits of transformers behind five pages of text") {
  check_logits(tiny_model, "tiny/long");
}
TEST_CASE("tiny model, fp32: the greedy tokens and text of transformers") {
  for (const char* name : {"genesis", "speech", "one_token"}) check_greedy(tiny_model, std::string("tiny/") + name);
}
TEST_CASE("tiny model, fp32: the greedy tokens of transformers behind five pages of text") {
  check_greedy(tiny_model, "tiny/long");
}
TEST_CASE("tiny model, fp32, full mode: the logits of transformers") {
  const GoldenCase golden = golden_case("tiny/speech");
  models::SessionOptions o = options_for(golden.tokens.size(), 0);
  o.mode = HDL_MODE_FULL;
  CHECK(compare(golden, score(tiny_model, golden.tokens, o)).of_range < fp32_limit);
}

TEST_CASE("tiny model, bf16: the most likely tokens of transformers but for near ties") {
  for (const char* name : {"genesis", "speech", "long"}) {
    const GoldenCase golden = golden_case(std::string("tiny/") + name);
    models::SessionOptions o = options_for(golden.tokens.size(), 0);
    o.dtype = DType::bf16;
    const Difference d = compare(golden, score(tiny_model, golden.tokens, o));
    INFO(name << ": " << d.of_range << " of the range, top-1 " << d.top1 << ", lost lead " << d.worst_lead);
    CHECK(d.top1 >= 0.95);
    CHECK(d.of_range < 2e-2);
    CHECK(d.of_range > fp32_limit);  // or bf16 was not used
    CHECK(d.worst_lead < 0.2);
  }
}

TEST_CASE("GGUF, quantised: the logits and greedy tokens of transformers") {
  const std::string model = in_tree("testbench/golden/gguf/mini.gguf");
  check_logits(model, "gguf/mini");
  check_greedy(model, "gguf/mini");
}
TEST_CASE("GPT-2: the logits and greedy tokens of transformers") { check_family("gpt2"); }
TEST_CASE("Qwen2, biases of q, k and v: the logits and greedy tokens of transformers") { check_family("qwen2"); }
TEST_CASE("Qwen3, normed heads: the logits and greedy tokens of transformers") { check_family("qwen3"); }
