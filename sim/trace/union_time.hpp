// SPDX-License-Identifier: Apache-2.0
// How much time a set of spans covers, spans that overlap counted once. Spans may come in any order that is not older
// than the last `most_open` pieces; memory is bounded by those.
#pragma once
#include <cstddef>
#include <iterator>
#include <map>

#include "isa/base/strong.hpp"

namespace heddle::trace {

class UnionTime {
 public:
  static constexpr std::size_t most_open = 256;

  void add(TimeFs from, TimeFs to) {
    from = std::max(from, closed_);
    if (to <= from) return;
    auto at = pieces_.upper_bound(from);
    if (at != pieces_.begin() && std::prev(at)->second >= from) {
      --at;
      from = at->first;
    }
    while (at != pieces_.end() && at->first <= to) {
      to = std::max(to, at->second);
      at = pieces_.erase(at);
    }
    pieces_.emplace_hint(at, from, to);
    if (pieces_.size() > most_open) close_first();
  }
  TimeFs total() const {
    TimeFs sum = sum_;
    for (const auto& [from, to] : pieces_) sum += to - from;
    return sum;
  }

 private:
  void close_first() {
    const auto [from, to] = *pieces_.begin();
    sum_ += to - from;
    closed_ = to;
    pieces_.erase(pieces_.begin());
  }

  std::map<TimeFs, TimeFs> pieces_;  // apart from each other
  TimeFs sum_{}, closed_{};          // of pieces that are not kept any more; nothing before `closed_` is counted
};

}  // namespace heddle::trace
