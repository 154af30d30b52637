// SPDX-License-Identifier: Apache-2.0
// Who could let a waiting instruction go on, when nothing moves any more: instructions that post what it waits for and
// are queued, or not issued yet; the engine whose queue is full; the engines that a fence waits for.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/image/image.hpp"
#include "sim/control/deadlock.hpp"

namespace heddle::control {

enum class Stuck : std::uint8_t {
  waits,       // at the head of a queue
  queued,      // behind the head
  not_issued,  // its sequencer waits, and may come to it
  full_queue,  // of the queue that has no room: its head
  busy,        // of the engines that a fence waits for: its head
};

// Waiting instruction `to` may be what lets another go on.
struct Edge {
  std::size_t to = 0;     // index into `waiting`
  std::uint32_t sem = 0;  // that is waited for; of full_queue and busy: none
  std::uint32_t pc = 0;   // the instruction that would post it, or that holds the queue
  Stuck how = Stuck::waits;
};

class WaitGraph {
 public:
  WaitGraph(const isa::ProgramImage& image, std::span<const Waiting> waiting);

  const std::vector<Edge>& edges(std::size_t from) const { return edges_[from]; }
  // A need of `from` that nobody left can meet: the number of its semaphore.
  std::optional<std::uint32_t> hopeless(std::size_t from) const { return hopeless_[from]; }

  // The shortest circle: who waits (index) and for which edge, each edge leading to the next one's index and the last
  // one's to the first. Empty: there is none.
  struct Step {
    std::size_t from = 0;
    Edge edge;
  };
  std::vector<Step> circle() const;

 private:
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::optional<std::uint32_t>> hopeless_;
};

// The instruction posts semaphore `sem`, of its own core or another.
bool posts(const isa::Instruction& in, std::uint32_t sem);

}  // namespace heddle::control
