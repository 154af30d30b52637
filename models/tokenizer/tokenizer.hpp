// SPDX-License-Identifier: Apache-2.0
// Text to token ids and back: byte-level BPE, as GPT-2, Llama 3, SmolLM and Qwen use it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/tokenizer/added_tokens.hpp"
#include "models/tokenizer/bpe.hpp"
#include "models/tokenizer/pretokenize.hpp"

namespace heddle::tokenizer {

// What a reader of tokenizer.json or GGUF fills in.
struct TokenizerSpec {
  std::string path;                 // for errors
  std::vector<std::string> tokens;  // as the file spells them, by id; empty: a hole
  std::vector<std::pair<std::string, std::string>> merges;
  std::vector<AddedToken> added;
  std::vector<Split> splits;  // applied one after the other, each within the words of the one before
  bool nfc = false;
  bool prefix_space = false;  // a space before each word of the last split's input that does not begin with one
  bool whole_words = false;   // a word that is in the vocabulary is that token, whatever the merges say
  bool add_bos = false;
  std::optional<TokenId> unknown;  // stands for bytes that the vocabulary lacks
  bool fuse_unknown = false;
  std::optional<TokenId> bos;
  std::optional<TokenId> eos;
};

enum class SpecialTokens : std::uint8_t {
  recognise,  // "<|im_end|>" in the text is that token: for templates and other trusted text
  as_text,    // it is the ten characters: for text that a stranger wrote
};

class Tokenizer {
 public:
  // Throws HDL-TOK-04 where a merge names a token that the vocabulary lacks, or an id is out of range.
  explicit Tokenizer(TokenizerSpec spec);

  // Ids of `text` alone, without BOS. Bytes that are not UTF-8 are encoded byte by byte. A byte that
  // the vocabulary lacks becomes the unknown token, or is left out where there is none (SmolLM2 lacks 21 rare bytes).
  std::vector<TokenId> encode(std::string_view text, SpecialTokens special = SpecialTokens::recognise) const;
  // The same behind BOS where this tokenizer wants one and the text does not begin with it.
  std::vector<TokenId> encode_prompt(std::string_view text, SpecialTokens special = SpecialTokens::recognise) const;

  // Always valid UTF-8: what is not becomes U+FFFD. Throws HDL-TOK-09 for an id outside the vocabulary.
  std::string decode(std::span<const TokenId> ids, bool skip_special = false) const;

  // The bytes that a token stands for, perhaps part of a character. Throws HDL-TOK-09.
  std::string_view bytes_of(TokenId id) const;
  // The id of a vocabulary entry or added token, spelt as in the file ("<|im_end|>").
  std::optional<TokenId> id_of(std::string_view token) const;
  bool is_special(TokenId id) const;

  std::int64_t size() const { return static_cast<std::int64_t>(pieces_.size()); }
  std::optional<TokenId> bos() const { return bos_; }
  std::optional<TokenId> eos() const { return eos_; }
  bool adds_bos() const { return add_bos_; }

 private:
  void encode_text(std::string_view text, std::vector<TokenId>& out) const;
  void encode_word(std::string_view word, std::vector<TokenId>& out) const;

  std::string path_;
  std::vector<std::string> pieces_;                 // bytes, by id
  std::vector<bool> special_;                       // by id
  std::unordered_map<std::string, TokenId> ids_;    // by the file's spelling
  std::unordered_map<std::string, TokenId> words_;  // by bytes; only where whole_words
  Bpe bpe_;
  AddedTokens added_;
  std::vector<Split> splits_;
  bool nfc_, prefix_space_, whole_words_, add_bos_;
  std::optional<TokenId> bos_, eos_;
};

// Text as the tokens come: each feed() returns the characters that are finished by it, and holds back the bytes of one
// that is not. The pieces together, with finish() last, are what decode() of all ids gives.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skip_special = false)
      : tokenizer_(tokenizer), skip_special_(skip_special) {}
  std::string feed(TokenId id);
  std::string finish();

 private:
  const Tokenizer& tokenizer_;
  bool skip_special_;
  std::string held_;
};

// The tokenizer of a model: tokenizer.json beside the weights, or the metadata of a GGUF file. `path` is what
// weights::load_model takes, or a tokenizer.json. Throws HDL-TOK-01 (no tokenizer), HDL-TOK-02 (a kind that is not
// byte-level BPE, such as SentencePiece, or a split rule that is not known), HDL-TOK-04 (malformed).
Tokenizer load_tokenizer(const std::string& path);

// From the text of tokenizer.json and, where there is one, tokenizer_config.json (else empty).
Tokenizer tokenizer_from_json(std::string_view json, std::string_view config_json, const std::string& path);

}  // namespace heddle::tokenizer

namespace heddle::weights {
class GgufFile;
}
namespace heddle::tokenizer {
Tokenizer tokenizer_from_gguf(const weights::GgufFile& file);
}  // namespace heddle::tokenizer
