// SPDX-License-Identifier: Apache-2.0
// Tokens that stand outside BPE: they are found in the text before it is split into words.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/tokenizer/bpe.hpp"

namespace heddle::tokenizer {

struct AddedToken {
  TokenId id = 0;
  std::string text;
  bool special = false;      // a control token: found only when asked for, left out by a decode that skips them
  bool strip_left = false;   // takes the white space before it
  bool strip_right = false;  // takes the white space after it
  bool single_word = false;  // not within a word
};

class AddedTokens {
 public:
  void add(AddedToken token);
  const std::vector<AddedToken>& all() const { return tokens_; }

  struct Match {
    std::size_t begin;  // in the text, white space that the token takes included
    std::size_t end;
    const AddedToken* token;
  };
  // The leftmost match at or after `from`, the longest of those; token is nullptr where there is none.
  Match find(std::string_view text, std::size_t from, bool specials) const;

 private:
  std::vector<AddedToken> tokens_;
  // Trie over bytes: (node, byte) to node; terminal_[node] is an index into tokens_ or -1.
  std::unordered_map<std::uint64_t, std::uint32_t> edges_;
  std::vector<std::int64_t> terminal_{-1};
};

}  // namespace heddle::tokenizer
