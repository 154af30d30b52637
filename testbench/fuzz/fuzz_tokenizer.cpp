// SPDX-License-Identifier: Apache-2.0
// The first byte says what the rest is: a tokenizer.json, a GGUF file with a tokenizer in it, a text for a fixed small
// tokenizer under each of the split rules, or a chat template. Whatever loads must encode and decode without loss.
#include <cstring>

#include "isa/base/error.hpp"
#include "models/tokenizer/byte_level.hpp"
#include "models/tokenizer/chat_template.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "models/tokenizer/unicode.hpp"
#include "models/tokenizer/utf8.hpp"
#include "models/weights/gguf.hpp"

namespace {

using namespace heddle::tokenizer;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

// `complete`: the vocabulary spells every byte and changes none.
void use(const Tokenizer& tokenizer, std::string_view text, bool complete) {
  for (const SpecialTokens special : {SpecialTokens::recognise, SpecialTokens::as_text}) {
    const std::vector<TokenId> ids = tokenizer.encode(text, special);
    std::string streamed;
    StreamDecoder stream(tokenizer);
    for (const TokenId id : ids) streamed += stream.feed(id);
    streamed += stream.finish();
    require(streamed == tokenizer.decode(ids));
    if (!complete) continue;
    std::string expected;
    append_lossy(expected, text);
    require(streamed == expected);
  }
}

Tokenizer small(std::vector<Split> splits) {
  TokenizerSpec spec;
  for (int byte = 0; byte < 256; ++byte)
    spec.tokens.push_back(encode_byte_level(std::string(1, static_cast<char>(byte))));
  for (const auto& [left, right] :
       {std::pair<const char*, const char*>{"a", "b"}, {"ab", "ab"}, {" ", " "}, {"'", "s"}, {"1", "2"}}) {
    spec.merges.emplace_back(encode_byte_level(left), encode_byte_level(right));
    spec.tokens.push_back(spec.merges.back().first + spec.merges.back().second);
  }
  spec.tokens.push_back("<|im_end|>");
  spec.added.push_back({.id = static_cast<TokenId>(spec.tokens.size() - 1), .text = "<|im_end|>", .special = true});
  spec.splits = std::move(splits);
  return Tokenizer(std::move(spec));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::string_view text = "The quick  brown\n\n fox's 1234 naïve <|im_end|> \xff\xe2\x82 tail ";
  try {
    if (data[0] % 4 == 0) {
      use(tokenizer_from_json(rest, "", "fuzz.json"), text, false);
    } else if (data[0] % 4 == 1) {
      std::vector<std::byte> bytes(rest.size());
      if (!rest.empty()) std::memcpy(bytes.data(), rest.data(), rest.size());
      const heddle::weights::GgufFile file(heddle::weights::FileBytes::of(std::move(bytes), "fuzz.gguf"));
      use(tokenizer_from_gguf(file), text, false);
    } else if (data[0] % 4 == 2) {
      static const std::vector<Tokenizer> tokenizers = [] {
        std::vector<Tokenizer> all;
        all.push_back(small({Split::gpt2}));
        all.push_back(small({Split::digits_each, Split::gpt2}));
        all.push_back(small({Split::digits_runs, Split::llama3}));
        all.push_back(small({Split::qwen2}));
        return all;
      }();
      for (const Tokenizer& tokenizer : tokenizers) use(tokenizer, rest, true);
      const std::string normal = to_nfc(rest);
      require(to_nfc(normal) == normal);
    } else {
      const ChatTemplate chat(rest, "<s>", "</s>");
      const ChatMessage messages[] = {{"user", "hi"}, {"assistant", "hello"}, {"user", "bye"}};
      (void)chat.render(messages);
    }
  } catch (const heddle::Error& e) {
    require(e.kind() != heddle::ErrorKind::internal);
  }
  return 0;
}
