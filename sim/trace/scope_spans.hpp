// SPDX-License-Identifier: Apache-2.0
// Over what time the engines worked for each scope of a program. A pass of a core through a scope lasts from the first
// start of an engine instruction that was issued in it to the last completion of one, however far the sequencer has run
// ahead; a scope's time is what its passes, of all cores, cover.
//
// Scopes overlap in time: the next one's transfers start while this one computes.
#pragma once
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "sim/trace/observer.hpp"
#include "sim/trace/program_info.hpp"
#include "sim/trace/scope_walk.hpp"
#include "sim/trace/union_time.hpp"

namespace heddle::trace {

class ScopeSpans {
 public:
  using ScopeId = std::pair<std::uint32_t, std::uint32_t>;  // program, scope

  static constexpr std::uint32_t none = 0xffffffff;

  void begin_launch(std::uint32_t number, const ProgramInfo& program);
  // Returns the number of the innermost pass, or none. Numbers of passes that have ended are given again.
  std::uint32_t issued(Agent agent, std::uint32_t pc);
  // In the order of issue, of each agent.
  void ran(Agent agent, TimeFs start, TimeFs end);
  void end_launch();

  // Calls f(number, end) when a pass has ended, inner ones first.
  void on_end(std::function<void(std::uint32_t, TimeFs)> f) { ended_ = std::move(f); }
  // Whether a pass is another one, or around it; both have not ended. None is around all.
  bool encloses(std::uint32_t outer, std::uint32_t inner) const {
    while (inner != outer && inner != none) inner = passes_[inner].outer;
    return inner == outer;
  }

  TimeFs time(const ScopeId& id) const {
    const auto at = times_.find(id);
    return at == times_.end() ? TimeFs{} : at->second.total();
  }

 private:
  struct Pass {
    std::uint32_t scope = 0, outer = none;  // the pass around it
    std::uint32_t outstanding = 0;          // instructions, and passes of inner scopes
    bool open = true;                       // the sequencer is inside
    TimeFs begin{std::numeric_limits<std::int64_t>::max()}, end{};
  };
  struct Core {
    ScopeWalk walk;
    std::vector<std::uint32_t> inside;  // its open passes, outer first
  };
  std::uint32_t open(std::uint32_t scope, std::uint32_t outer);
  void close(std::uint32_t pass);
  void leave_when_done(std::uint32_t pass);

  std::function<void(std::uint32_t, TimeFs)> ended_;
  const ProgramInfo* program_ = nullptr;
  std::uint32_t number_ = 0;
  std::vector<Pass> passes_;
  std::vector<std::uint32_t> free_;
  void keep(Core& core, std::size_t passes);  // the others end
  std::map<std::uint32_t, Core> cores_;
  std::map<Agent, std::deque<std::uint32_t>> under_way_;  // each instruction's innermost pass
  std::map<ScopeId, UnionTime> times_;
};

}  // namespace heddle::trace
