// SPDX-License-Identifier: Apache-2.0
// Byte-pair merging within one word.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle::tokenizer {

using TokenId = std::int32_t;

class Bpe {
 public:
  // The token of each single byte; -1 where the vocabulary has none.
  std::array<TokenId, 256> byte_tokens{};

  Bpe() { byte_tokens.fill(-1); }

  // Later merges have lower priority; the first of two equal ones counts.
  void add_merge(TokenId left, TokenId right, TokenId merged);
  std::size_t merges() const { return merges_.size(); }

  // Appends the tokens of `word`: of all pairs that can merge the earliest merge goes first, the leftmost of equals,
  // until none can. O(n log n) for n bytes. A byte that the vocabulary lacks becomes `unknown` (a run of them one, if
  // `fuse_unknown`); where there is none of that either it is left out, as the reference implementations do.
  void encode(std::string_view word, std::vector<TokenId>& out) const;

  std::optional<TokenId> unknown;
  bool fuse_unknown = false;

 private:
  struct Merge {
    std::uint32_t rank;
    TokenId merged;
  };
  static std::uint64_t key(TokenId left, TokenId right) {
    return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32) | static_cast<std::uint32_t>(right);
  }
  std::unordered_map<std::uint64_t, Merge> merges_;
};

}  // namespace heddle::tokenizer
