// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/scope_spans.hpp"

#include <algorithm>

namespace heddle::trace {

void ScopeSpans::begin_launch(std::uint32_t number, const ProgramInfo& program) {
  number_ = number;
  program_ = &program;
  passes_.clear();
  free_.clear();
  cores_.clear();
  under_way_.clear();
}

std::uint32_t ScopeSpans::open(std::uint32_t scope, std::uint32_t outer) {
  if (outer != none) ++passes_[outer].outstanding;
  const Pass pass{scope, outer};
  if (free_.empty()) {
    passes_.push_back(pass);
    return static_cast<std::uint32_t>(passes_.size() - 1);
  }
  const std::uint32_t at = free_.back();
  free_.pop_back();
  passes_[at] = pass;
  return at;
}

void ScopeSpans::close(std::uint32_t pass) {
  passes_[pass].open = false;
  leave_when_done(pass);
}

void ScopeSpans::leave_when_done(std::uint32_t pass) {
  while (pass != none && !passes_[pass].open && passes_[pass].outstanding == 0) {
    const Pass done = passes_[pass];
    if (ended_) ended_(pass, done.end);
    free_.push_back(pass);
    times_[{number_, done.scope}].add(done.begin, done.end);
    if (done.outer != none) {
      Pass& outer = passes_[done.outer];
      outer.begin = std::min(outer.begin, done.begin);
      outer.end = std::max(outer.end, done.end);
      --outer.outstanding;
    }
    pass = done.outer;
  }
}

void ScopeSpans::keep(Core& core, std::size_t passes) {
  for (; core.inside.size() > passes; core.inside.pop_back()) close(core.inside.back());
}

std::uint32_t ScopeSpans::issued(Agent agent, std::uint32_t pc) {
  Core& core = cores_[agent.core];
  std::vector<std::uint32_t>& inside = core.inside;
  if (core.walk.move(*program_, pc)) {
    keep(core, core.walk.kept());
    for (std::size_t i = inside.size(); i < core.walk.open().size(); ++i)
      inside.push_back(open(core.walk.open()[i], inside.empty() ? none : inside.back()));
  }
  const std::uint32_t pass = inside.empty() ? none : inside.back();
  if (pass != none) ++passes_[pass].outstanding;
  under_way_[agent].push_back(pass);
  return pass;
}

void ScopeSpans::ran(Agent agent, TimeFs start, TimeFs end) {
  std::deque<std::uint32_t>& under_way = under_way_[agent];
  const std::uint32_t number = under_way.front();
  under_way.pop_front();
  if (number == none) return;
  Pass& pass = passes_[number];
  pass.begin = std::min(pass.begin, start);
  pass.end = std::max(pass.end, end);
  --pass.outstanding;
  leave_when_done(number);
}

void ScopeSpans::end_launch() {
  for (auto& [number, core] : cores_) keep(core, 0);
}

}  // namespace heddle::trace
