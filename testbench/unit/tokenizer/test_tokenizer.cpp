// SPDX-License-Identifier: Apache-2.0
#include "models/tokenizer/tokenizer.hpp"

#include "models/tokenizer/byte_level.hpp"
#include "models/weights/gguf.hpp"
#include "testbench/unit/weights/build_files.hpp"
#include "testbench/unit/weights/expect_error.hpp"

using namespace heddle;
using namespace heddle::testing;
using namespace heddle::tokenizer;

namespace {

// All bytes (ids 0 to 255), "ab" 256, "abab" 257, " a" 258, and the control tokens <s> 259 and </s> 260.
TokenizerSpec spec() {
  TokenizerSpec s;
  s.path = "spec";
  for (int byte = 0; byte < 256; ++byte) s.tokens.push_back(encode_byte_level(std::string(1, static_cast<char>(byte))));
  s.tokens.insert(s.tokens.end(), {"ab", "abab", "\u0120a", "<s>", "</s>"});
  s.merges = {{"a", "b"}, {"ab", "ab"}, {"\u0120", "a"}};
  s.added = {{.id = 259, .text = "<s>", .special = true}, {.id = 260, .text = "</s>", .special = true}};
  s.splits = {Split::gpt2};
  s.bos = 259;
  s.eos = 260;
  return s;
}

std::string json(const std::string& pre, const std::string& more = "", const std::string& model = "") {
  return R"({"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"])" + model + R"(},"pre_tokenizer":)" +
         pre + more + "}";
}
const std::string byte_level = R"({"type":"ByteLevel","add_prefix_space":false})";
Tokenizer from(const std::string& text, const std::string& config = "") {
  return tokenizer_from_json(text, config, "t.json");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

GgufBuilder gguf(const std::string& pre) {
  GgufBuilder b;
  b.text("tokenizer.ggml.model", "gpt2");
  if (!pre.empty()) b.text("tokenizer.ggml.pre", pre);
  std::vector<std::string> tokens = spec().tokens;
  std::vector<std::int32_t> types(tokens.size(), 1);
  types[259] = types[260] = 3;
  tokens.push_back("<user>");
  types.push_back(4);
  b.strings("tokenizer.ggml.tokens", tokens);
  b.array("tokenizer.ggml.token_type", 5, types);
  b.strings("tokenizer.ggml.merges", {"a b", "ab ab", "\u0120 a"});
  b.u32("tokenizer.ggml.bos_token_id", 259);
  b.u32("tokenizer.ggml.eos_token_id", 260);
  return b;
}
Tokenizer from(const GgufBuilder& b) { return tokenizer_from_gguf(weights::GgufFile(file_of(b.bytes(), "t.gguf"))); }

}  // namespace

TEST_CASE("the earliest merge goes first, the leftmost of equals") {
  const Tokenizer t(spec());
  CHECK(t.encode("abab") == std::vector<TokenId>{257});
  CHECK(t.encode("ababab") == std::vector<TokenId>{257, 256});
  CHECK(t.encode("aab ab") == std::vector<TokenId>{'a', 256, ' ', 256});  // "a b" is earlier than " a"
  CHECK(t.encode(" a") == std::vector<TokenId>{258});
  CHECK(t.encode("").empty());
}

TEST_CASE("special tokens are found in the text only when asked for") {
  const Tokenizer t(spec());
  CHECK(t.encode("<s>ab</s>") == std::vector<TokenId>{259, 256, 260});
  CHECK(t.encode("<s>", SpecialTokens::as_text) == std::vector<TokenId>{'<', 's', '>'});
  CHECK(t.decode(std::vector<TokenId>{259, 256, 260}) == "<s>ab</s>");
  CHECK(t.decode(std::vector<TokenId>{259, 256, 260}, true) == "ab");
  CHECK(t.is_special(259));
  CHECK_FALSE(t.is_special(256));
  CHECK_FALSE(t.is_special(-1));
  CHECK(t.id_of("</s>") == 260);
  CHECK(t.id_of("<pad>") == std::nullopt);
}

TEST_CASE("BOS stands before a prompt once, where the tokenizer wants it") {
  TokenizerSpec s = spec();
  CHECK(Tokenizer(s).encode_prompt("ab") == std::vector<TokenId>{256});
  s.add_bos = true;
  CHECK(Tokenizer(s).encode_prompt("ab") == std::vector<TokenId>{259, 256});
  CHECK(Tokenizer(s).encode_prompt("<s>ab") == std::vector<TokenId>{259, 256});
  CHECK(Tokenizer(s).encode_prompt("") == std::vector<TokenId>{259});
  CHECK(Tokenizer(s).encode("ab") == std::vector<TokenId>{256});
  s.bos.reset();
  expect_error("HDL-TOK-04", "BOS", [&] { Tokenizer{s}; });
}

TEST_CASE("bytes that are not UTF-8 survive encoding, and show as U+FFFD") {
  const Tokenizer t(spec());
  const std::string text = "a\xff\xe2\x82 \xc0\x80z";
  std::string bytes;
  for (const TokenId id : t.encode(text)) bytes += t.bytes_of(id);
  CHECK(bytes == text);
  CHECK(t.decode(t.encode(text)) == "a\ufffd\ufffd \ufffd\ufffdz");
}

TEST_CASE("streamed text holds back the bytes of an unfinished character") {
  const Tokenizer t(spec());
  StreamDecoder stream(t);
  CHECK(stream.feed('x') == "x");
  CHECK(stream.feed(0xf0) == "");
  CHECK(stream.feed(0x9f) == "");
  CHECK(stream.feed(0x99) == "");
  CHECK(stream.feed(0x82) == "\U0001F642");
  CHECK(stream.feed(0xe2) == "");
  CHECK(stream.feed('y') == "\ufffdy");
  CHECK(stream.feed(0xe2) == "");
  CHECK(stream.feed(0x82) == "");
  CHECK(stream.finish() == "\ufffd");
  CHECK(stream.finish() == "");
  StreamDecoder skipping(t, true);
  CHECK(skipping.feed(260) == "");
  expect_error("HDL-TOK-09", "no token 9999 in a vocabulary of 261", [&] { skipping.feed(9999); });
  expect_error("HDL-TOK-09", "no token -1", [&] { t.decode(std::vector<TokenId>{-1}); });
}

TEST_CASE("one long word takes little more than linear time") {
  // A quadratic merge would need some 10^11 steps here: the test's time limit would end it.
  const Tokenizer t(spec());
  std::string word;
  for (int i = 0; i < 200'000; ++i) word += "ab";
  CHECK(t.encode(word).size() == 100'000);
  CHECK(t.encode(std::string(400'000, ' ')).size() == 400'000);
}

TEST_CASE("a tokenizer from GGUF metadata") {
  const Tokenizer t = from(gguf("smollm"));
  CHECK(t.size() == 262);
  CHECK(t.bos() == 259);
  CHECK(t.eos() == 260);
  CHECK_FALSE(t.adds_bos());
  CHECK(t.encode("abab12<s>") == std::vector<TokenId>{257, '1', '2', 259});
  CHECK(t.encode("<user></s>", SpecialTokens::as_text) == std::vector<TokenId>{261, '<', '/', 's', '>'});
  CHECK(from(gguf("llama-bpe")).adds_bos());
  CHECK(from(gguf("")).encode("ab") == std::vector<TokenId>{256});
}

TEST_CASE("GGUF tokenizers that cannot be served are refused by name") {
  expect_error("HDL-TOK-02", "'klingon' is not a split rule known here; known are gpt-2",
               [] { from(gguf("klingon")); });
  GgufBuilder b;
  expect_error("HDL-TOK-01", "no tokenizer", [&] { from(b); });
  b.text("tokenizer.ggml.model", "llama");
  expect_error("HDL-TOK-02", "'llama' (SentencePiece) is not supported", [&] { from(b); });
  b = GgufBuilder();
  b.text("tokenizer.ggml.model", "gpt2");
  expect_error("HDL-TOK-04", "no metadata 'tokenizer.ggml.tokens'", [&] { from(b); });
  b.strings("tokenizer.ggml.tokens", {"a", "b"});
  b.strings("tokenizer.ggml.merges", {"a b"});
  expect_error("HDL-TOK-04", "merge 'a' + 'b': 'ab' is not in the vocabulary", [&] { from(b); });
  b = gguf("gpt-2");
  b.u32("tokenizer.ggml.padding_token_id", 1);
  b.u32("tokenizer.ggml.unknown_token_id", 1'000'000);  // not used: rare bytes are left out, as ggml does
  CHECK_NOTHROW(from(b));
}

TEST_CASE("a tokenizer.json's BOS comes from its template or from tokenizer_config.json") {
  const std::string added = R"(,"added_tokens":[{"id":3,"content":"<s>","special":true}])";
  const std::string post = R"(,"post_processor":{"type":"Sequence","processors":[{"type":"ByteLevel"},)"
                           R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>"}}]}]})";
  CHECK(from(json(byte_level, added + post)).encode_prompt("ab") == std::vector<TokenId>{3, 2});
  const Tokenizer t = from(json(byte_level, added), R"({"bos_token":{"content":"<s>"},"eos_token":"b"})");
  CHECK(t.bos() == 3);
  CHECK(t.eos() == 1);
  CHECK(t.encode_prompt("ab") == std::vector<TokenId>{2});
  CHECK(from(json(byte_level, added), R"({"bos_token":"<s>","add_bos_token":true})").adds_bos());
}

TEST_CASE("tokenizer.json files that cannot be served are refused by name") {
  const auto refused = [](std::string_view id, std::string_view part, const std::string& text) {
    CAPTURE(text);
    expect_error(id, part, [&] { from(text); });
  };
  refused("HDL-TOK-04", "not valid JSON", "{");
  refused("HDL-TOK-04", "expected an object", "[]");
  refused("HDL-TOK-04", "no 'model'", "{}");
  refused("HDL-TOK-02", "of type 'Unigram'", R"({"model":{"type":"Unigram","vocab":[]}})");
  refused("HDL-TOK-02", "byte fallback", json(byte_level, "", R"(,"byte_fallback":true)"));
  refused("HDL-TOK-02", "end_of_word_suffix", json(byte_level, "", R"(,"end_of_word_suffix":"</w>")"));
  refused("HDL-TOK-02", "without a ByteLevel", json("null"));
  refused("HDL-TOK-02", "'Metaspace'", json(R"({"type":"Metaspace"})"));
  refused("HDL-TOK-02", "normalizer 'Prepend'", json(byte_level, R"(,"normalizer":{"type":"Prepend"})"));
  refused("HDL-TOK-02", "post-processor 'Bert", json(byte_level, R"(,"post_processor":{"type":"BertProcessing"})"));
  refused("HDL-TOK-02", "expression \\w+",
          json(R"({"type":"Split","pattern":{"Regex":"\\w+"},"behavior":"Isolated"})"));
  refused("HDL-TOK-02", "does not isolate",
          json(R"({"type":"Split","pattern":{"Regex":"\\p{N}"},"behavior":"MergedWithNext"})"));
  refused("HDL-TOK-04", "'c' + 'b'", replaced(json(byte_level), "a b", "c b"));
  refused("HDL-TOK-04", "a merge is not two tokens", replaced(json(byte_level), "a b", "a b c"));
  refused("HDL-TOK-04", "far beyond", replaced(json(byte_level), "\"ab\":2", "\"ab\":2000000000"));
  refused("HDL-TOK-04", "not a token id", replaced(json(byte_level), "\"ab\":2", "\"ab\":-2"));
  refused("HDL-TOK-04", "share the id 1", replaced(json(byte_level), "\"ab\":2", "\"ab\":1"));
  refused("HDL-TOK-04", "no content", json(byte_level, R"(,"added_tokens":[{"id":3,"content":""}])"));
  std::string deep = byte_level;
  for (int i = 0; i < 2000; ++i) deep = R"({"type":"Sequence","pretokenizers":[)" + deep + "]}";
  refused("HDL-TOK-04", "too deep", json(deep));
}

TEST_CASE("a tokenizer is found beside the weights") {
  const TempFolder folder;
  expect_error("HDL-TOK-01", "no tokenizer.json for this model", [&] { load_tokenizer(folder.path()); });
  folder.write("tokenizer.model", "x");
  expect_error("HDL-TOK-02", "SentencePiece", [&] { load_tokenizer(folder.path()); });
  folder.write("tokenizer.json", json(byte_level));
  CHECK(load_tokenizer(folder.path()).encode("ab") == std::vector<TokenId>{2});
  CHECK(load_tokenizer(folder.path("tokenizer.json")).size() == 3);
  CHECK(load_tokenizer(folder.write("model.safetensors", "x")).size() == 3);
  CHECK(load_tokenizer(folder.write("m.gguf", gguf("gpt-2").bytes())).size() == 262);
}
