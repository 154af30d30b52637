// SPDX-License-Identifier: Apache-2.0
// Chains of what waited for what, each from a launch's beginning to a moment, without their history: a node holds what
// lies between it and the node before it, and nodes that nobody refers to and that a single other one builds on melt
// into that one. So there are never more than twice as many nodes as references, however long the run; what a chain
// consisted of survives as sums by key.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "isa/base/strong.hpp"

namespace heddle::trace {

// What time (or a count) is put down to; the meaning is the user's.
struct ChainKey {
  std::uint32_t program = 0;
  std::uint32_t pc = 0;
  std::uint32_t from = 0;  // of a handoff: the instruction that was waited for
  std::uint16_t core = 0;
  std::uint8_t kind = 0;
  friend auto operator<=>(const ChainKey&, const ChainKey&) = default;
};

struct ChainItem {
  ChainKey key;
  std::int64_t amount = 0;
};

class Chains {
  using Index = std::uint32_t;
  static constexpr Index none = 0xffffffff;

 public:
  // A chain up to a moment. Holds its nodes; must not outlive the Chains.
  class Ref {
   public:
    Ref() = default;
    Ref(const Ref& o) : chains_(o.chains_), index_(o.index_), time_(o.time_) {
      if (chains_ != nullptr) ++chains_->nodes_[index_].references;
    }
    Ref(Ref&& o) noexcept : chains_(std::exchange(o.chains_, nullptr)), index_(o.index_), time_(o.time_) {}
    Ref& operator=(Ref o) noexcept {
      std::swap(chains_, o.chains_);
      std::swap(index_, o.index_);
      std::swap(time_, o.time_);
      return *this;
    }
    ~Ref() {
      if (chains_ != nullptr) chains_->release(index_);
    }
    explicit operator bool() const { return chains_ != nullptr; }
    TimeFs time() const { return time_; }

   private:
    friend class Chains;
    Ref(Chains* chains, Index index, TimeFs time) : chains_(chains), index_(index), time_(time) {}
    Chains* chains_ = nullptr;
    Index index_ = none;
    TimeFs time_{};
  };

  Ref begin(TimeFs time);
  // `from` goes on to `time`, not earlier than its own, by way of `items`. No items: the same chain, at that time.
  Ref extend(const Ref& from, TimeFs time, std::span<const ChainItem> items);
  // All items from its begin on.
  std::map<ChainKey, std::int64_t> sums(const Ref& chain) const;
  std::size_t nodes() const { return nodes_.size() - free_.size(); }

 private:
  struct Node {
    Index parent = none;
    std::uint32_t references = 0;  // by Refs
    std::uint32_t children = 0;
    Index children_xor = 0;        // of their indices: with one child, that child
    std::vector<ChainItem> items;  // by key
  };
  Index make(Index parent);
  void release(Index index);
  void settle(Index index);
  void melt(Index index);
  void discard(Index index);
  static void add(std::vector<ChainItem>& to, const ChainItem& item);

  std::vector<Node> nodes_;
  std::vector<Index> free_;
};

}  // namespace heddle::trace
