// SPDX-License-Identifier: Apache-2.0
// Which posts a wait is ordered after, under every schedule and not only in this run's.
//
// Semaphores count, so a wait that was satisfied says only that enough units had been posted, not whose. With T units
// taken since the semaphore was last known to be empty, this wait's included, an event is ordered before the wait if
// the posts that are not ordered after that event are worth fewer than T units: without it there would have been too
// few. Where posts are ordered among each other (one engine posts; or the sequencer before all others) this means that
// the k-th unit taken is the k-th posted. Of posts that nothing orders, those that this run has seen are counted; one
// that this run saw only after the wait is not. A second agent that takes from a semaphore, with no order between the
// two, is an error of the program (HDL-SEM-05).
#pragma once
#include <cstdint>
#include <vector>

#include "sim/check/clock.hpp"

namespace heddle::check {

class SemaphoreOrder {
 public:
  // covered(clock, stamp): the event is ordered before everything under that clock.
  using Covered = bool (*)(const void* context, const Clock& clock, Stamp stamp);

  struct Rules {
    const void* context = nullptr;
    Covered covered = nullptr;
    std::uint32_t all_agents = 0;
    bool operator()(const Clock& clock, Stamp s) const { return covered(context, clock, s); }
  };

  void post(const Rules& rules, const Clock& clock, Stamp by, std::int64_t n);
  // Joins into `clock` what the wait is ordered after. The other wait where a second waiter is not ordered after the
  // first; else 0.
  Stamp take(const Rules& rules, Clock& clock, Stamp by, std::int64_t n);
  bool last_taken_by_another(std::uint32_t agent) const { return last_take_ != 0 && agent_of(last_take_) != agent; }
  void clear() { *this = {}; }

 private:
  struct Token {
    Clock clock;
    std::int64_t n = 0;
  };
  void take_from_chain(const Rules& rules, Clock& clock, std::int64_t n);

  static constexpr std::size_t most_tokens = 64;  // without a chain; older ones count as taken

  bool chain_ = true;          // every post so far, since the restart, is ordered after the one before
  std::int64_t count_ = 0;     // units posted and not taken
  std::int64_t taken_ = 0;     // without a chain: of the units of tokens_
  std::vector<Token> tokens_;  // chain: a queue from first_ on; else all posts since the chain broke
  std::size_t first_ = 0;
  Stamp last_post_ = 0;
  Stamp last_take_ = 0;
};

}  // namespace heddle::check
