// SPDX-License-Identifier: Apache-2.0
// Adds waits and posts to the nodes of one block: on the instruction itself where the engine runs it and has room, else
// as
// *.sync instructions (sem.wait for the sequencer) right before or after the node. Private to sdk/.
#pragma once
#include <cstdint>
#include <vector>

#include "sdk/arch/program.hpp"

namespace heddle::sdk {

inline constexpr std::uint32_t max_sync_count = 15;  // of one wait or post in an instruction

// Nodes that make `engine` do nothing but wait or post.
std::vector<Node> wait_nodes(EngineKey engine, std::uint32_t sem, std::uint32_t count);
std::vector<Node> post_nodes(EngineKey engine, std::uint32_t sem, std::uint32_t count);

class BlockEditor {
 public:
  explicit BlockEditor(Block& block);

  // Before node i takes effect on `engine`.
  void wait(std::size_t i, EngineKey engine, std::uint32_t sem, std::uint32_t count = 1);
  // Once node i is done on `engine`. The sequencer's own effects need no post: engines see them by order of issue.
  void post(std::size_t i, EngineKey engine, std::uint32_t sem, std::uint32_t count = 1);
  // As instructions of their own, around node i.
  void insert_before(std::size_t i, Node node);
  void insert_after(std::size_t i, Node node);
  void remove(std::size_t i) { removed_[i] = true; }
  // Rewrites the block.
  void apply();

 private:
  void merge(std::vector<Node>& list, Node node);
  Block& block_;
  std::vector<std::vector<Node>> before_, after_;
  std::vector<bool> removed_;
};

}  // namespace heddle::sdk
