// SPDX-License-Identifier: Apache-2.0
#include "models/tokenizer/tokenizer.hpp"

#include <utility>

#include "isa/base/error.hpp"
#include "models/tokenizer/byte_level.hpp"
#include "models/tokenizer/unicode.hpp"
#include "models/tokenizer/utf8.hpp"

namespace heddle::tokenizer {

Tokenizer::Tokenizer(TokenizerSpec spec)
    : path_(std::move(spec.path)),
      splits_(std::move(spec.splits)),
      nfc_(spec.nfc),
      prefix_space_(spec.prefix_space),
      whole_words_(spec.whole_words),
      add_bos_(spec.add_bos),
      bos_(spec.bos),
      eos_(spec.eos) {
  const std::size_t count = spec.tokens.size();
  const auto check_id = [&](TokenId id, std::string_view what) {
    if (id < 0 || static_cast<std::size_t>(id) >= count)
      fail_at({path_}, ErrorKind::bad_input, "HDL-TOK-04", "{} is token {}, outside the vocabulary of {}", what, id,
              count);
  };
  pieces_.reserve(count);
  special_.assign(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    std::string& token = spec.tokens[i];
    const auto id = static_cast<TokenId>(i);
    // A token that holds characters outside the byte alphabet stands for its own text, as in the reference decoder.
    std::optional<std::string> bytes = decode_byte_level(token);
    pieces_.push_back(bytes ? std::move(*bytes) : token);
    if (token.empty()) continue;
    if (pieces_.back().size() == 1 && bytes) {
      TokenId& slot = bpe_.byte_tokens[static_cast<std::uint8_t>(pieces_.back()[0])];
      if (slot < 0) slot = id;
    }
    ids_.try_emplace(std::move(token), id);
  }
  for (AddedToken& token : spec.added) {
    check_id(token.id, fmt::format("added token '{}'", token.text));
    const auto i = static_cast<std::size_t>(token.id);
    ids_.insert_or_assign(token.text, token.id);
    pieces_[i] = token.text;
    special_[i] = token.special;
    added_.add(std::move(token));
  }
  if (whole_words_)
    for (std::size_t i = 0; i < count; ++i) words_.try_emplace(pieces_[i], static_cast<TokenId>(i));
  for (const auto& [left, right] : spec.merges) {
    const auto a = ids_.find(left);
    const auto b = ids_.find(right);
    const auto merged = ids_.find(left + right);
    if (a == ids_.end() || b == ids_.end() || merged == ids_.end())
      fail_at({path_}, ErrorKind::bad_input, "HDL-TOK-04", "merge '{}' + '{}': '{}' is not in the vocabulary", left,
              right,
              a == ids_.end()   ? left
              : b == ids_.end() ? right
                                : left + right);
    bpe_.add_merge(a->second, b->second, merged->second);
  }
  if (spec.unknown) check_id(*spec.unknown, "the unknown token");
  bpe_.unknown = spec.unknown;
  bpe_.fuse_unknown = spec.fuse_unknown;
  if (bos_) check_id(*bos_, "BOS");
  if (eos_) check_id(*eos_, "EOS");
  if (add_bos_ && !bos_)
    fail_at({path_}, ErrorKind::bad_input, "HDL-TOK-04", "prompts are to begin with BOS, but no token is named as it");
}

void Tokenizer::encode_word(std::string_view word, std::vector<TokenId>& out) const {
  if (whole_words_) {
    if (const auto it = words_.find(std::string(word)); it != words_.end()) {
      out.push_back(it->second);
      return;
    }
  }
  bpe_.encode(word, out);
}

void Tokenizer::encode_text(std::string_view text, std::vector<TokenId>& out) const {
  if (text.empty()) return;
  const std::string normal = nfc_ ? to_nfc(text) : std::string();
  std::vector<std::string_view> words{nfc_ ? std::string_view(normal) : text};
  std::vector<std::string> prefixed;  // owns what `words` points to once spaces are put before them
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    if (prefix_space_ && i + 1 == splits_.size()) {
      prefixed.reserve(words.size());
      for (std::string_view& word : words)
        if (!word.starts_with(' ')) word = prefixed.emplace_back(" " + std::string(word));
    }
    std::vector<std::string_view> parts;
    for (const std::string_view word : words) split_words(splits_[i], word, parts);
    words = std::move(parts);
  }
  for (const std::string_view word : words) encode_word(word, out);
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, SpecialTokens special) const {
  std::vector<TokenId> out;
  for (std::size_t from = 0; from < text.size();) {
    const AddedTokens::Match match = added_.find(text, from, special == SpecialTokens::recognise);
    encode_text(text.substr(from, match.begin - from), out);
    if (match.token != nullptr) out.push_back(match.token->id);
    from = match.end;
  }
  return out;
}

std::vector<TokenId> Tokenizer::encode_prompt(std::string_view text, SpecialTokens special) const {
  std::vector<TokenId> out = encode(text, special);
  if (add_bos_ && (out.empty() || out.front() != *bos_)) out.insert(out.begin(), *bos_);
  return out;
}

std::string_view Tokenizer::bytes_of(TokenId id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= pieces_.size())
    fail_at({path_}, ErrorKind::bad_input, "HDL-TOK-09", "no token {} in a vocabulary of {}", id, pieces_.size());
  return pieces_[static_cast<std::size_t>(id)];
}

bool Tokenizer::is_special(TokenId id) const {
  return id >= 0 && static_cast<std::size_t>(id) < special_.size() && special_[static_cast<std::size_t>(id)];
}

std::optional<TokenId> Tokenizer::id_of(std::string_view token) const {
  const auto it = ids_.find(std::string(token));
  if (it == ids_.end()) return std::nullopt;
  return it->second;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skip_special) const {
  std::string bytes;
  for (const TokenId id : ids)
    if (const auto piece = bytes_of(id); !(skip_special && is_special(id))) bytes += piece;
  std::string out;
  append_lossy(out, bytes);
  return out;
}

std::string StreamDecoder::feed(TokenId id) {
  const std::string_view piece = tokenizer_.bytes_of(id);
  if (!(skip_special_ && tokenizer_.is_special(id))) held_ += piece;
  const std::size_t done = held_.size() - incomplete_tail(held_);
  std::string out;
  append_lossy(out, std::string_view(held_).substr(0, done));
  held_.erase(0, done);
  return out;
}

std::string StreamDecoder::finish() {
  std::string out;
  append_lossy(out, held_);
  held_.clear();
  return out;
}

}  // namespace heddle::tokenizer
