// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/chains.hpp"

#include <algorithm>

namespace heddle::trace {

Chains::Index Chains::make(Index parent) {
  if (free_.empty()) {
    free_.push_back(static_cast<Index>(nodes_.size()));
    nodes_.emplace_back();
  }
  const Index index = free_.back();
  free_.pop_back();
  Node& n = nodes_[index];
  n.parent = parent;
  n.references = 1;
  n.children = 0;
  n.children_xor = 0;
  if (parent != none) {
    ++nodes_[parent].children;
    nodes_[parent].children_xor ^= index;
  }
  return index;
}

Chains::Ref Chains::begin(TimeFs time) { return {this, make(none), time}; }

Chains::Ref Chains::extend(const Ref& from, TimeFs time, std::span<const ChainItem> items) {
  if (items.empty()) {
    Ref same = from;
    same.time_ = time;
    return same;
  }
  const Index index = make(from.index_);
  for (const ChainItem& i : items) add(nodes_[index].items, i);
  return {this, index, time};
}

void Chains::add(std::vector<ChainItem>& to, const ChainItem& item) {
  const auto at = std::lower_bound(to.begin(), to.end(), item.key,
                                   [](const ChainItem& i, const ChainKey& key) { return i.key < key; });
  if (at != to.end() && at->key == item.key)
    at->amount += item.amount;
  else
    to.insert(at, item);
}

void Chains::release(Index index) {
  if (--nodes_[index].references == 0) settle(index);
}

// After the loss of a reference or of a child.
void Chains::settle(Index index) {
  while (index != none) {
    Node& n = nodes_[index];
    if (n.references > 0 || n.children > 1) return;
    if (n.children == 1) return melt(index);
    const Index parent = n.parent;
    discard(index);
    if (parent != none) {
      --nodes_[parent].children;
      nodes_[parent].children_xor ^= index;
    }
    index = parent;
  }
}

// Into its only child, the smaller of the two lists into the longer.
void Chains::melt(Index index) {
  const Index child = nodes_[index].children_xor, parent = nodes_[index].parent;
  std::vector<ChainItem>& into = nodes_[child].items;
  std::vector<ChainItem>& from = nodes_[index].items;
  if (from.size() > into.size()) from.swap(into);
  for (const ChainItem& i : from) add(into, i);
  nodes_[child].parent = parent;
  if (parent != none) nodes_[parent].children_xor ^= index ^ child;
  discard(index);
}

void Chains::discard(Index index) {
  constexpr std::size_t small = 8;
  std::vector<ChainItem>& items = nodes_[index].items;
  items.clear();
  if (items.capacity() > small) items.shrink_to_fit();
  free_.push_back(index);
}

std::map<ChainKey, std::int64_t> Chains::sums(const Ref& chain) const {
  std::map<ChainKey, std::int64_t> out;
  for (Index i = chain.index_; i != none; i = nodes_[i].parent)
    for (const ChainItem& item : nodes_[i].items) out[item.key] += item.amount;
  return out;
}

}  // namespace heddle::trace
