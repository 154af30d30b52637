// SPDX-License-Identifier: Apache-2.0
#include "sdk/arch/block_editor.hpp"

#include <algorithm>
#include <utility>

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

Node sync_node(EngineKey engine) {
  Node n;
  n.in.op = unit_of(engine) == isa::Unit::dma   ? Opcode::dma_sync
            : unit_of(engine) == isa::Unit::mxu ? Opcode::mxu_sync
                                                : Opcode::vpu_sync;
  n.in[FieldId::engine] = index_of(engine);
  return n;
}

bool is_sync(const Node& n) {
  return n.kind == NodeKind::instruction &&
         (n.in.op == Opcode::dma_sync || n.in.op == Opcode::mxu_sync || n.in.op == Opcode::vpu_sync);
}

// Adds to one of the two places of an instruction; false if both are taken.
bool place(std::vector<SyncCount>& list, std::size_t room, std::uint32_t sem, std::uint32_t count) {
  for (SyncCount& s : list)
    if (s.sem == sem && s.count + count <= max_sync_count) {
      s.count += count;
      return true;
    }
  if (list.size() >= room || count > max_sync_count) return false;
  list.push_back({sem, count});
  return true;
}

}  // namespace

std::vector<Node> wait_nodes(EngineKey engine, std::uint32_t sem, std::uint32_t count) {
  std::vector<Node> nodes;
  if (engine == sequencer_key) {
    Node n;
    n.in.op = Opcode::sem_wait;
    n.in[FieldId::imm] = count;
    n.waits.push_back({sem, 0});
    nodes.push_back(std::move(n));
    return nodes;
  }
  for (; count > 0; count -= std::min(count, max_sync_count)) {
    nodes.push_back(sync_node(engine));
    nodes.back().waits.push_back({sem, std::min(count, max_sync_count)});
  }
  return nodes;
}

std::vector<Node> post_nodes(EngineKey engine, std::uint32_t sem, std::uint32_t count) {
  std::vector<Node> nodes;
  for (; count > 0; count -= std::min(count, max_sync_count)) {
    nodes.push_back(sync_node(engine));
    nodes.back().posts.push_back({sem, std::min(count, max_sync_count)});
  }
  return nodes;
}

BlockEditor::BlockEditor(Block& block)
    : block_(block), before_(block.nodes.size()), after_(block.nodes.size()), removed_(block.nodes.size()) {}

void BlockEditor::merge(std::vector<Node>& list, Node node) {
  // Into a sync of the same engine that has room; within one engine's run of syncs the order of waits does not matter,
  // and nothing but syncs lies between them.
  if (is_sync(node))
    for (Node& n : list)
      if (is_sync(n) && key_of(n) == key_of(node) && n.waits.size() + node.waits.size() <= 2 &&
          n.posts.size() + node.posts.size() <= 2) {
        n.waits.insert(n.waits.end(), node.waits.begin(), node.waits.end());
        n.posts.insert(n.posts.end(), node.posts.begin(), node.posts.end());
        return;
      }
  list.push_back(std::move(node));
}

void BlockEditor::insert_before(std::size_t i, Node node) {
  node.file = block_.nodes[i].file;
  node.line = block_.nodes[i].line;
  merge(before_[i], std::move(node));
}
void BlockEditor::insert_after(std::size_t i, Node node) {
  node.file = block_.nodes[i].file;
  node.line = block_.nodes[i].line;
  merge(after_[i], std::move(node));
}

void BlockEditor::wait(std::size_t i, EngineKey engine, std::uint32_t sem, std::uint32_t count) {
  Node& n = block_.nodes[i];
  if (engine != sequencer_key && is_engine_node(n) && key_of(n) == engine && place(n.waits, 2, sem, count)) return;
  for (Node& w : wait_nodes(engine, sem, count)) insert_before(i, std::move(w));
}

void BlockEditor::post(std::size_t i, EngineKey engine, std::uint32_t sem, std::uint32_t count) {
  Node& n = block_.nodes[i];
  // With remote_post the second post goes elsewhere.
  const std::size_t room = n.in[FieldId::remote_post] != 0 ? 0 : 2;
  if (is_engine_node(n) && key_of(n) == engine && place(n.posts, room, sem, count)) return;
  for (Node& p : post_nodes(engine, sem, count)) insert_after(i, std::move(p));
}

void BlockEditor::apply() {
  std::vector<Node> nodes;
  nodes.reserve(block_.nodes.size());
  for (std::size_t i = 0; i < block_.nodes.size(); ++i) {
    for (Node& n : before_[i]) nodes.push_back(std::move(n));
    if (!removed_[i]) nodes.push_back(std::move(block_.nodes[i]));
    for (Node& n : after_[i]) nodes.push_back(std::move(n));
  }
  block_.nodes = std::move(nodes);
}

}  // namespace heddle::sdk
