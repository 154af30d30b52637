// SPDX-License-Identifier: Apache-2.0
#include "models/tokenizer/bpe.hpp"

#include <queue>

namespace heddle::tokenizer {

namespace {

// A doubly linked list within a vector; merged-away symbols have token -1.
struct Symbol {
  TokenId token;
  std::int64_t previous;
  std::int64_t next;
};

struct Candidate {
  std::uint32_t rank;
  std::int64_t left;  // index of a symbol; symbols keep their order, so this orders by place too
  TokenId left_token;
  TokenId right_token;
  TokenId merged;
  bool operator>(const Candidate& o) const { return rank != o.rank ? rank > o.rank : left > o.left; }
};

}  // namespace

void Bpe::add_merge(TokenId left, TokenId right, TokenId merged) {
  merges_.try_emplace(key(left, right), Merge{static_cast<std::uint32_t>(merges_.size()), merged});
}

void Bpe::encode(std::string_view word, std::vector<TokenId>& out) const {
  std::vector<Symbol> symbols;
  symbols.reserve(word.size());
  bool after_unknown = false;
  for (const char c : word) {
    TokenId token = byte_tokens[static_cast<std::uint8_t>(c)];
    const bool is_unknown = token < 0;
    if (is_unknown) {
      if (!unknown || (fuse_unknown && after_unknown)) continue;
      token = *unknown;
    }
    after_unknown = is_unknown;
    const auto i = static_cast<std::int64_t>(symbols.size());
    symbols.push_back({token, i - 1, i + 1});
  }
  if (symbols.empty()) return;
  symbols.back().next = -1;
  const auto at = [&](std::int64_t i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };

  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto consider = [&](std::int64_t left) {
    if (left < 0 || at(left).next < 0) return;
    const TokenId a = at(left).token;
    const TokenId b = at(at(left).next).token;
    const auto it = merges_.find(key(a, b));
    if (it != merges_.end()) queue.push({it->second.rank, left, a, b, it->second.merged});
  };
  for (std::int64_t i = 0; i + 1 < static_cast<std::int64_t>(symbols.size()); ++i) consider(i);
  while (!queue.empty()) {
    const Candidate top = queue.top();
    queue.pop();
    Symbol& left = at(top.left);
    // Stale where either side has been merged since.
    if (left.token != top.left_token || left.next < 0 || at(left.next).token != top.right_token) continue;
    Symbol& right = at(left.next);
    left.token = top.merged;
    right.token = -1;
    left.next = right.next;
    if (left.next >= 0) at(left.next).previous = top.left;
    consider(left.previous);
    consider(top.left);
  }
  for (std::int64_t i = 0; i >= 0; i = at(i).next) out.push_back(at(i).token);
}

}  // namespace heddle::tokenizer
