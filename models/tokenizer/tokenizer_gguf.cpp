// SPDX-License-Identifier: Apache-2.0
// Keys: ggml's docs/gguf.md, "tokenizer.ggml.*".
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "isa/base/error.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "models/weights/gguf.hpp"

namespace heddle::tokenizer {

namespace {

using weights::GgufArray;
using weights::GgufFile;
using weights::GgufType;

// tokenizer.ggml.token_type
constexpr std::int64_t type_unknown = 2, type_control = 3, type_user_defined = 4;

// What "tokenizer.ggml.pre" stands for.
struct Pre {
  std::string_view name;
  std::array<Split, 2> splits;
  std::size_t count;
  bool whole_words;
  bool nfc;
  bool add_bos;  // where the file does not say
};
constexpr Pre pres[] = {
    {"gpt-2", {Split::gpt2}, 1, false, false, false},
    {"gpt2", {Split::gpt2}, 1, false, false, false},
    {"smollm", {Split::digits_each, Split::gpt2}, 2, false, false, false},
    {"llama-bpe", {Split::llama3}, 1, true, false, true},
    {"llama3", {Split::llama3}, 1, true, false, true},
    {"llama-v3", {Split::llama3}, 1, true, false, true},
    {"qwen2", {Split::qwen2}, 1, false, true, false},
    {"deepseek-r1-qwen", {Split::qwen2}, 1, false, true, false},
};

const Pre& pre_of(const GgufFile& file) {
  // Files from before the key existed are GPT-2's.
  const std::string_view found = file.text("tokenizer.ggml.pre").value_or("gpt-2");
  std::vector<std::string_view> known;
  for (const Pre& pre : pres) {
    if (pre.name == found) return pre;
    known.push_back(pre.name);
  }
  fail_at({file.path()}, ErrorKind::unsupported, "HDL-TOK-02",
          "tokenizer.ggml.pre '{}' is not a split rule known here; known are {}", found, fmt::join(known, ", "));
}

std::optional<TokenId> token_id(const GgufFile& file, std::string_view key) {
  const auto id = file.integer(key);
  // 2^32 - 1 stands for "none".
  if (!id || *id == std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  if (*id < 0 || *id > std::numeric_limits<TokenId>::max())
    fail_at({file.path()}, ErrorKind::bad_input, "HDL-TOK-04", "'{}' is {}, no token id", key, *id);
  return static_cast<TokenId>(*id);
}

const GgufArray& strings(const GgufFile& file, std::string_view key) {
  if (const GgufArray* array = file.array(key, GgufType::string)) return *array;
  fail_at({file.path()}, ErrorKind::bad_input, "HDL-TOK-04", "no metadata '{}'", key);
}

}  // namespace

Tokenizer tokenizer_from_gguf(const GgufFile& file) {
  const auto model = file.text("tokenizer.ggml.model");
  if (!model) fail_at({file.path()}, ErrorKind::bad_input, "HDL-TOK-01", "this GGUF file holds no tokenizer");
  if (*model != "gpt2")
    fail_at({file.path()}, ErrorKind::unsupported, "HDL-TOK-02",
            "tokenizer model '{}'{} is not supported; supported is 'gpt2' (byte-level BPE)", *model,
            *model == "llama" ? " (SentencePiece)" : "");
  const Pre& pre = pre_of(file);
  TokenizerSpec spec;
  spec.path = file.path();
  spec.splits.assign(pre.splits.begin(), pre.splits.begin() + static_cast<std::ptrdiff_t>(pre.count));
  spec.whole_words = pre.whole_words;
  spec.nfc = pre.nfc;
  const GgufArray& tokens = strings(file, "tokenizer.ggml.tokens");
  spec.tokens.assign(tokens.strings.begin(), tokens.strings.end());
  for (const std::string_view merge : strings(file, "tokenizer.ggml.merges").strings) {
    const std::size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos)
      fail_at({file.path()}, ErrorKind::bad_input, "HDL-TOK-04", "merge '{}' is not two tokens", merge);
    spec.merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
  }
  if (const GgufArray* types = file.array("tokenizer.ggml.token_type", GgufType::int32)) {
    if (types->count != spec.tokens.size())
      fail_at({file.path()}, ErrorKind::bad_input, "HDL-TOK-04", "{} token types for {} tokens", types->count,
              spec.tokens.size());
    for (std::size_t i = 0; i < types->count; ++i) {
      const std::int64_t type = types->integer(i);
      if (type == type_control || type == type_user_defined || type == type_unknown)
        spec.added.push_back(
            {.id = static_cast<TokenId>(i), .text = spec.tokens[i], .special = type != type_user_defined});
    }
  }
  spec.bos = token_id(file, "tokenizer.ggml.bos_token_id");
  spec.eos = token_id(file, "tokenizer.ggml.eos_token_id");
  spec.add_bos = file.boolean("tokenizer.ggml.add_bos_token").value_or(pre.add_bos && spec.bos.has_value());
  return Tokenizer(std::move(spec));
}

}  // namespace heddle::tokenizer
