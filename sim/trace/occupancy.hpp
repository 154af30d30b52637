// SPDX-License-Identifier: Apache-2.0
// How much of each core's scratchpad and accumulators the running kernels use. A byte is in use from the start of the
// first instruction with a view that holds it, in a pass of a core through a scope, to the completion of the pass's
// last one: a kernel gives its tiles back at its end. What an inner scope uses of an outer one's stays the outer one's.
#pragma once
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <unordered_set>
#include <vector>

#include "sim/exec/byte_runs.hpp"
#include "sim/trace/scope_spans.hpp"

namespace heddle::trace {

class Occupancy {
 public:
  static constexpr std::array<isa::Space, 2> spaces{isa::Space::spm, isa::Space::acc};
  // So many bytes more (or less) of a core's spaces[space] are in use from `time` on.
  using Change = std::function<void(std::uint32_t core, std::size_t space, TimeFs time, std::int64_t by)>;
  Occupancy(std::uint32_t cores, Change change);

  void begin_launch(std::uint32_t number, const ProgramInfo& program);
  void issued(Agent agent, std::uint32_t pc);
  // Starts, and ends, of each agent in the order of issue.
  void began(Agent agent, const exec::EngineOp& op, TimeFs start);
  void ran(Agent agent, TimeFs start, TimeFs end) { passes_.ran(agent, start, end); }
  void end_launch(TimeFs end);

 private:
  struct Piece {
    std::int64_t end = 0;
    std::uint32_t owner = 0;  // a pass
  };
  using Pieces = std::map<std::int64_t, Piece>;  // by first byte, apart from each other
  void touch(const isa::View& view, std::uint32_t own_core, std::uint32_t pass, TimeFs time);
  // Returns how many bytes of [begin, end) were in nobody's use.
  std::int64_t take(Pieces& pieces, std::int64_t begin, std::int64_t end, std::uint32_t pass) const;
  void give_back(std::uint32_t pass, TimeFs time);

  Change change_;
  ScopeSpans passes_;
  std::vector<std::array<Pieces, spaces.size()>> used_;              // by core
  std::map<Agent, std::deque<std::uint32_t>> waiting_;               // pass of each instruction that has not begun
  std::map<std::uint32_t, std::unordered_set<std::uint64_t>> seen_;  // by pass: views, hashed
};

}  // namespace heddle::trace
