// SPDX-License-Identifier: Apache-2.0
#include "sim/check/semaphore_order.hpp"

namespace heddle::check {

void SemaphoreOrder::post(const Rules& rules, const Clock& clock, Stamp by, std::int64_t n) {
  // Empty, and known to be so by whoever posts next: nothing before can be mistaken for what comes.
  if (count_ == 0 && (last_take_ == 0 || rules(clock, last_take_))) {
    chain_ = true;
    tokens_.clear();
    first_ = 0;
    last_post_ = 0;
  }
  if (chain_ && last_post_ != 0 && !rules(clock, last_post_)) {
    chain_ = false;
    tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
    taken_ = 0;
  }
  if (!chain_ && tokens_.size() == most_tokens) {
    taken_ -= tokens_.front().n;
    tokens_.erase(tokens_.begin());
  }
  tokens_.push_back({clock, n});
  count_ += n;
  last_post_ = by;
}

Stamp SemaphoreOrder::take(const Rules& rules, Clock& clock, Stamp by, std::int64_t n) {
  const Stamp unordered = last_taken_by_another(agent_of(by)) && !rules(clock, last_take_) ? last_take_ : 0;
  count_ -= n;
  last_take_ = by;
  if (chain_) {
    take_from_chain(rules, clock, n);
  } else {
    taken_ += n;
    std::vector<std::pair<const Clock*, std::int64_t>> posts;
    for (const Token& t : tokens_) posts.emplace_back(&t.clock, t.n);
    clock.join_common(posts, taken_, rules.all_agents);
  }
  return unordered;
}

void SemaphoreOrder::take_from_chain(const Rules& rules, Clock& clock, std::int64_t n) {
  while (n > 0 && first_ < tokens_.size()) {
    Token& t = tokens_[first_];
    const std::int64_t part = n < t.n ? n : t.n;
    t.n -= part;
    n -= part;
    if (n == 0) clock.join(t.clock, rules.all_agents);  // the last one knows those before it
    if (t.n == 0) ++first_;
  }
  if (first_ == tokens_.size()) {
    tokens_.clear();
    first_ = 0;
  } else if (first_ > 64 && first_ * 2 > tokens_.size()) {
    tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

}  // namespace heddle::check
