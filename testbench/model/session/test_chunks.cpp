// SPDX-License-Identifier: Apache-2.0
// The same text fed in parts of any size, through the prefill or the decode program, gives the same logits.
#include <algorithm>

#include "testbench/model/session/golden_case.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::testing;

namespace {

constexpr double same = 1e-5;  // of the logits' range: another order of summation, no more

std::vector<float> score_in_chunks(const GoldenCase& golden, std::size_t chunk, std::int64_t page) {
  models::SessionOptions o = options_for(golden.tokens.size(), 0);
  o.prompt = static_cast<std::int64_t>(chunk);
  o.page = page;
  return score(tiny_model, golden.tokens, o);
}

std::vector<float> last_row(const std::vector<float>& all, const GoldenCase& golden) {
  return {all.end() - golden.vocab, all.end()};
}

}  // namespace

TEST_CASE("prefill in chunks of any size gives the logits of transformers") {
  const GoldenCase golden = golden_case("tiny/genesis");  // 48 tokens
  for (const std::size_t chunk : {1, 5, 16, 47, 48, 256})
    for (const std::int64_t page : {16, 64}) {
      const Difference d = compare(golden, score_in_chunks(golden, chunk, page));
      INFO("chunk " << chunk << ", page " << page << ": " << d.of_range);
      CHECK(d.of_range < same);
    }
}

TEST_CASE("a prompt longer than the largest prefill launch, and one launch on either side of it") {
  const GoldenCase golden = golden_case("tiny/long");
  models::SessionOptions o = options_for(golden.tokens.size(), 1);
  OpenModel whole(tiny_model, o);
  const models::Generation g = whole.session.generate(golden.tokens, 1, {});
  CHECK(g.prefill.launches == 2);  // 256 + 44
  const std::vector<float> expected = whole.session.last_logits();
  CHECK(compare({{golden.tokens.back()},
                 {0},
                 golden.vocab,
                 {golden.logits.end() - golden.vocab, golden.logits.end()},
                 {},
                 {},
                 golden.range},
                expected)
            .of_range < same);
  for (const std::size_t n : {255, 256, 257, 300}) {
    const Tokens part(golden.tokens.begin(), golden.tokens.begin() + static_cast<std::ptrdiff_t>(n));
    const std::size_t chunk = 100;
    models::SessionOptions all = options_for(n, 0);
    const std::vector<float> once = score(tiny_model, part, all);
    all.prompt = static_cast<std::int64_t>(chunk);
    INFO(n << " tokens");
    CHECK(largest_difference(once, score(tiny_model, part, all)) < same * golden.range);
  }
}

TEST_CASE("tokens fed one at a time give the logits of the whole fed at once") {
  const GoldenCase golden = golden_case("tiny/long");
  const std::vector<float> whole = score(tiny_model, golden.tokens, options_for(golden.tokens.size(), 0));
  // The last token given is not fed, so the logits stand behind the one before.
  for (const std::size_t prefill : {1, 63, 64, 65, 128, 255, 256, 290, 298}) {
    const std::size_t end = std::min(prefill + 20, golden.tokens.size());
    const std::span<const std::int32_t> text(golden.tokens);
    OpenModel m(tiny_model, options_for(prefill, end - prefill));
    const models::Generation g = m.session.follow(text.first(prefill), text.subspan(prefill, end - prefill));
    CHECK(g.decode.tokens == static_cast<std::int64_t>(end - prefill) - 1);
    const auto vocab = static_cast<std::size_t>(golden.vocab);
    INFO(prefill << " tokens at once, then to " << end);
    CHECK(largest_difference(m.session.last_logits(), std::span(whole).subspan((end - 2) * vocab, vocab)) <
          same * golden.range);
  }
}

TEST_CASE("a session starts each prompt afresh") {
  const GoldenCase golden = golden_case("tiny/speech");
  const GoldenCase other = golden_case("tiny/genesis");
  OpenModel m(tiny_model, options_for(other.tokens.size(), 8));
  const Tokens first = m.session.generate(golden.tokens, 8, {}).tokens;
  (void)m.session.generate(other.tokens, 8, {});
  CHECK(m.session.generate(golden.tokens, 8, {}).tokens == first);
  CHECK(first == Tokens(golden.greedy.begin(), golden.greedy.begin() + 8));
}

TEST_CASE("the context may be filled to its last position") {
  const GoldenCase golden = golden_case("tiny/long");
  Tokens text = golden.tokens;
  while (text.size() < 509) text.push_back(golden.tokens[text.size() - golden.tokens.size()]);
  const std::vector<float> whole = score(tiny_model, text, options_for(text.size(), 0));
  OpenModel m(tiny_model, options_for(text.size() - 2, 5));  // 507 + 5 = 512, the model's context
  const models::Generation g = m.session.follow(std::span(text).first(507), {{text[507], text[508], 7, 8, 9}});
  CHECK(g.decode.tokens == 4);
  OpenModel behind(tiny_model, options_for(text.size() - 2, 3));
  (void)behind.session.follow(std::span(text).first(507), {{text[507], text[508], 7}});
  CHECK(largest_difference(behind.session.last_logits(), last_row(whole, golden)) < same * golden.range);
}
