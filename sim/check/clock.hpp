// SPDX-License-Identifier: Apache-2.0
// Vector clocks over the sequencer and the engines of every core, the agents. Moments come from one counter of the
// whole run, so a moment names one event; a stamp is an event with its agent.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::check {

using Moment = std::uint64_t;  // from 1; below 2^48
using Stamp = std::uint64_t;   // agent << 48 | moment; 0: no event. Bit 63 is free for others' use

inline constexpr int moment_bits = 48;
constexpr Stamp make_stamp(std::uint32_t agent, Moment m) { return static_cast<Stamp>(agent) << moment_bits | m; }
constexpr std::uint32_t agent_of(Stamp s) { return static_cast<std::uint32_t>(s >> moment_bits) & 0x7fff; }
constexpr Moment moment_of(Stamp s) { return s & ((Moment{1} << moment_bits) - 1); }

// For each agent the last event known to have happened. Agents of the clock's own core stand in `own`; those of other
// cores in a shared table, which exists only once a post has come from another core.
class Clock {
 public:
  static constexpr std::uint32_t most_agents = 64;  // of a core

  Clock() {}  // of no agents
  Clock(std::uint32_t core, std::uint32_t agents) : core_(core), agents_(agents) {
    std::fill_n(own_.begin(), agents_, Moment{0});
  }
  Clock(const Clock& o) : core_(o.core_), agents_(o.agents_), others_(o.others_) {
    std::copy_n(o.own_.begin(), agents_, own_.begin());
  }
  Clock& operator=(const Clock& o) {
    core_ = o.core_;
    agents_ = o.agents_;
    others_ = o.others_;
    std::copy_n(o.own_.begin(), agents_, own_.begin());
    return *this;
  }

  bool covers(Stamp s) const {
    const std::uint32_t agent = agent_of(s);
    const std::uint32_t first = core_ * agents_;
    if (agent - first < agents_) return own_[agent - first] >= moment_of(s);
    return others_ != nullptr && (*others_)[agent] >= moment_of(s);
  }
  void set_own(std::uint32_t local_agent, Moment m) { own_[local_agent] = m; }

  void join(const Clock& o, std::uint32_t all_agents) {
    if (o.core_ == core_) {
      for (std::uint32_t a = 0; a < agents_; ++a) own_[a] = std::max(own_[a], o.own_[a]);
      if (o.others_ == nullptr || o.others_ == others_) return;
      if (others_ == nullptr) {
        others_ = o.others_;
        return;
      }
    }
    auto table = std::make_shared<std::vector<Moment>>(all_agents);
    const auto add = [&](std::uint32_t agent, Moment m) { (*table)[agent] = std::max((*table)[agent], m); };
    for (const auto& from : {others_, o.others_})
      if (from != nullptr)
        for (std::uint32_t a = 0; a < all_agents; ++a) add(a, (*from)[a]);
    for (std::uint32_t a = 0; a < agents_; ++a) {
      add(o.core_ * agents_ + a, o.own_[a]);
      own_[a] = std::max(own_[a], (*table)[core_ * agents_ + a]);
    }
    others_ = std::move(table);
  }

  // Joins what is known whichever `units` of the posts (clock, units) are taken: of each agent, the event that is left
  // when the posts that know least of it are taken first.
  void join_common(std::vector<std::pair<const Clock*, std::int64_t>>& posts, std::int64_t units,
                   std::uint32_t all_agents) {
    const bool far = std::any_of(posts.begin(), posts.end(),
                                 [&](const auto& p) { return p.first->core_ != core_ || p.first->others_ != nullptr; });
    Clock common(core_, agents_);
    std::shared_ptr<std::vector<Moment>> table;
    if (far) table = std::make_shared<std::vector<Moment>>(all_agents);
    for (std::uint32_t a = 0; a < all_agents; ++a) {
      const bool own = a - core_ * agents_ < agents_;
      if (!own && !far) continue;
      std::sort(posts.begin(), posts.end(),
                [&](const auto& x, const auto& y) { return x.first->at(a) < y.first->at(a); });
      std::int64_t left = units;
      Moment known = 0;
      for (const auto& [clock, n] : posts) {
        known = clock->at(a);
        left -= n;
        if (left <= 0) break;
      }
      if (own) common.own_[a - core_ * agents_] = known;
      if (far) (*table)[a] = known;
    }
    common.others_ = std::move(table);
    join(common, all_agents);
  }

 private:
  Moment at(std::uint32_t agent) const {
    const std::uint32_t first = core_ * agents_;
    if (agent - first < agents_) return own_[agent - first];
    return others_ == nullptr ? 0 : (*others_)[agent];
  }

  std::uint32_t core_ = 0;
  std::uint32_t agents_ = 0;
  std::shared_ptr<const std::vector<Moment>> others_;  // by agent of all cores
  std::array<Moment, most_agents> own_;                // the first agents_ only: clocks are copied for every post
};

}  // namespace heddle::check
