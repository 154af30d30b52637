// SPDX-License-Identifier: Apache-2.0
// Follows a core's sequencer into and out of the scopes of its program, from the places at which it was seen.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/trace/program_info.hpp"

namespace heddle::trace {

class ScopeWalk {
 public:
  // Seen at `pc` now. True: scopes were left or entered; the first kept() of those that were open are open still.
  bool move(const ProgramInfo& program, std::uint32_t pc) {
    const std::uint32_t scope = program.scope(pc);
    const bool back = pc <= pc_ && !open_.empty();
    if (scope == innermost() && !back) {
      pc_ = pc;
      return false;
    }
    std::vector<std::uint32_t> chain;
    for (std::uint32_t s = scope; s != ProgramInfo::no_scope; s = program.parent[s]) chain.insert(chain.begin(), s);
    kept_ = 0;
    while (kept_ < chain.size() && kept_ < open_.size() && chain[kept_] == open_[kept_] &&
           !(back && program.left_between(chain[kept_], pc_, pc)))
      ++kept_;
    pc_ = pc;
    if (kept_ == chain.size() && kept_ == open_.size()) return false;
    before_ = std::move(open_);
    open_ = std::move(chain);
    return true;
  }
  // True as above; no scope is open any more.
  bool leave() {
    kept_ = 0;
    pc_ = 0;
    before_ = std::move(open_);
    open_.clear();
    return !before_.empty();
  }

  const std::vector<std::uint32_t>& open() const { return open_; }      // outer first
  const std::vector<std::uint32_t>& before() const { return before_; }  // open before it was so
  std::size_t kept() const { return kept_; }

 private:
  std::uint32_t innermost() const { return open_.empty() ? ProgramInfo::no_scope : open_.back(); }

  std::vector<std::uint32_t> open_, before_;
  std::size_t kept_ = 0;
  std::uint32_t pc_ = 0;
};

}  // namespace heddle::trace
