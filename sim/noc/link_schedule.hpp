// SPDX-License-Identifier: Apache-2.0
// When a link is taken: the time after its last reservation, and the latest gaps before that.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>

#include "isa/base/strong.hpp"

namespace heddle::noc {

class LinkSchedule {
 public:
  // Takes the link for `length` from the earliest time on, not before `from`, at which it is free that long; returns
  // when. Only the latest gaps are known: what lies before them counts as taken.
  TimeFs reserve(TimeFs from, TimeFs length) {
    if (from >= free_) {
      if (from > free_) remember({free_, from});
      free_ = from + length;
      return from;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      Gap& gap = gaps_[i];
      const TimeFs begin = std::max(from, gap.begin);
      if (begin + length > gap.end) continue;
      const Gap before{gap.begin, begin}, after{begin + length, gap.end};
      if (before.begin < before.end && after.begin < after.end) {
        gap = after;
        insert(i, before);
      } else if (before.begin < before.end) {
        gap = before;
      } else if (after.begin < after.end) {
        gap = after;
      } else {
        erase(i);
      }
      return begin;
    }
    const TimeFs begin = free_;
    free_ = begin + length;
    return begin;
  }

 private:
  struct Gap {
    TimeFs begin{}, end{};
  };
  void erase(std::size_t at) {
    std::copy(gaps_.begin() + at + 1, gaps_.begin() + count_, gaps_.begin() + at);
    --count_;
  }
  // Before gaps_[at]; of too many, the earliest is forgotten.
  void insert(std::size_t at, const Gap& gap) {
    if (count_ == gaps_.size()) {
      if (at == 0) return;
      erase(0);
      --at;
    }
    std::copy_backward(gaps_.begin() + at, gaps_.begin() + count_, gaps_.begin() + count_ + 1);
    gaps_[at] = gap;
    ++count_;
  }
  void remember(const Gap& gap) { insert(count_, gap); }

  TimeFs free_{};
  std::array<Gap, 8> gaps_{};  // in order of time, disjoint, all before free_
  std::size_t count_ = 0;
};

}  // namespace heddle::noc
