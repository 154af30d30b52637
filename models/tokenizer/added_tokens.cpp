// SPDX-License-Identifier: Apache-2.0
#include "models/tokenizer/added_tokens.hpp"

#include <array>
#include <utility>

#include "models/tokenizer/unicode.hpp"
#include "models/tokenizer/utf8.hpp"

namespace heddle::tokenizer {

namespace {

std::uint64_t edge(std::uint32_t node, char byte) {
  return (std::uint64_t{node} << 8) | static_cast<std::uint8_t>(byte);
}

// The code point that ends where `text` does; `text` is not empty.
CodePoint last_code_point(std::string_view text) {
  for (std::size_t n = std::min<std::size_t>(4, text.size()); n > 1; --n) {
    const CodePoint c = first_code_point(text.substr(text.size() - n));
    if (c.valid && c.bytes == n) return c;
  }
  return first_code_point(text.substr(text.size() - 1));
}

bool is_word(const CodePoint& c) { return c.valid && is_word_char(c.value); }
bool is_space(const CodePoint& c) { return c.valid && is_whitespace(c.value); }

}  // namespace

void AddedTokens::add(AddedToken token) {
  std::uint32_t node = 0;
  for (const char byte : token.text) {
    const auto [it, fresh] = edges_.try_emplace(edge(node, byte), static_cast<std::uint32_t>(terminal_.size()));
    if (fresh) terminal_.push_back(-1);
    node = it->second;
  }
  if (node != 0) terminal_[node] = static_cast<std::int64_t>(tokens_.size());
  tokens_.push_back(std::move(token));
}

AddedTokens::Match AddedTokens::find(std::string_view text, std::size_t from, bool specials) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    std::uint32_t node = 0;
    const AddedToken* best = nullptr;
    for (std::size_t i = begin; i < text.size(); ++i) {
      const auto it = edges_.find(edge(node, text[i]));
      if (it == edges_.end()) break;
      node = it->second;
      if (terminal_[node] < 0) continue;
      const AddedToken& token = tokens_[static_cast<std::size_t>(terminal_[node])];
      if (token.special && !specials) continue;
      best = &token;
    }
    if (best == nullptr) continue;
    std::size_t first = begin;
    std::size_t last = begin + best->text.size();
    if (best->single_word) {
      const bool word_before = first > 0 && is_word(last_code_point(text.substr(0, first)));
      const bool word_after = last < text.size() && is_word(first_code_point(text.substr(last)));
      if (word_before || word_after) continue;
    }
    while (best->strip_left && first > from) {
      const CodePoint c = last_code_point(text.substr(from, first - from));
      if (!is_space(c)) break;
      first -= c.bytes;
    }
    while (best->strip_right && last < text.size()) {
      const CodePoint c = first_code_point(text.substr(last));
      if (!is_space(c)) break;
      last += c.bytes;
    }
    return {first, last, best};
  }
  return {text.size(), text.size(), nullptr};
}

}  // namespace heddle::tokenizer
