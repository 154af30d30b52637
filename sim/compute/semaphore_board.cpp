// SPDX-License-Identifier: Apache-2.0
#include "sim/compute/semaphore_board.hpp"

#include <algorithm>

#include "isa/base/error.hpp"

namespace heddle::compute {

AgentId AgentMap::of(isa::Unit unit, std::uint32_t engine) const {
  switch (unit) {
    case isa::Unit::mxu:
      return static_cast<AgentId>(1 + engine);
    case isa::Unit::vpu:
      return static_cast<AgentId>(1 + mxus + engine);
    case isa::Unit::dma:
      return static_cast<AgentId>(1 + mxus + vpus + engine);
    default:
      return sequencer_agent;
  }
}

SemaphoreBoard::SemaphoreBoard(std::int64_t count, Agenda& agenda, AgentMap agents)
    : sems_(static_cast<std::size_t>(count)), agenda_(agenda), agents_(agents) {}

void SemaphoreBoard::begin_launch(const control::Program& program) {
  std::vector<std::uint64_t> posters(sems_.size()), waiters(sems_.size());
  constexpr std::uint64_t anyone = std::uint64_t{3} << 62;  // more than one, and nobody's number
  const auto add = [&](std::vector<std::uint64_t>& to, std::uint32_t sem, std::uint64_t who) {
    if (sem < to.size()) to[sem] |= who;
  };
  for (const control::Micro& m : program.code()) {
    const isa::Unit unit = isa::info(m.op).unit;
    if (m.op == isa::Opcode::sem_wait) add(waiters, m.sem, 1);
    if (m.op == isa::Opcode::sem_post) add(posters, m.sem, 1);
    if (m.op == isa::Opcode::sem_post_remote) add(posters, m.sem, anyone);
    if (!isa::is_engine(unit)) continue;
    const std::uint64_t who = std::uint64_t{1} << agents_.of(unit, m.engine);
    if (m.wait0_n != 0) add(waiters, m.wait0, who);
    if (m.wait1_n != 0) add(waiters, m.wait1, who);
    if (m.post0_n != 0) add(posters, m.post0, who);
    if (m.post1_n != 0) add(posters, m.post1, (m.flags & control::flag_remote_post) != 0 ? anyone : who);
  }
  for (std::size_t i = 0; i < sems_.size(); ++i) {
    const auto several = [](std::uint64_t mask) { return (mask & (mask - 1)) != 0; };
    sems_[i].shared = several(waiters[i]);
    sems_[i].immediate = !several(waiters[i]) && !several(posters[i]);
    sems_[i].waiting = 0;
  }
}

void SemaphoreBoard::enter(Sem& s, std::uint32_t index, std::int64_t n, TimeFs time, const PostOrigin& origin) {
  if (n == 0) return;
  s.total += n;
  if (s.total > control::Semaphores::most)
    fail(ErrorKind::program, "HDL-SEM-03", "semaphore s{} would hold {}, above 2^31 - 1", index, s.total);
  if (observer_ != nullptr) observer_->posted(core_, static_cast<std::uint8_t>(index), n, time, origin);
  if (s.first == s.entries.size()) {
    s.entries.clear();
    s.first = 0;
  }
  // Two entries that have both taken effect are as good as one: nothing taken from now on starts before the present.
  if (s.first < s.entries.size() && (s.entries.back().time == time || time <= agenda_.now())) {
    s.entries.back().time = std::max(s.entries.back().time, time);
    s.entries.back().n += n;
  } else {
    s.entries.push_back({time, n});
  }
  for (std::uint64_t w = s.waiting; w != 0; w &= w - 1) agenda_.mark(static_cast<AgentId>(__builtin_ctzll(w)));
  s.waiting = 0;
}

void SemaphoreBoard::post(AgentId from, std::uint8_t sem, std::int64_t n, TimeFs time, PostOrigin origin) {
  Sem& s = sems_[sem];
  if (s.immediate && from != other)
    enter(s, sem, n, time, origin);
  else if (time <= agenda_.now())
    enter(s, sem, n, agenda_.now(), origin);
  else
    agenda_.post_at(time, sem, n, origin);
}

TimeFs SemaphoreBoard::time_of(const Sem& s, std::int64_t n) {
  for (std::size_t i = s.first;; ++i) {
    n -= s.entries[i].n;
    if (n <= 0) return s.entries[i].time;
  }
}

void SemaphoreBoard::remove(Sem& s, std::int64_t n) {
  s.total -= n;
  while (n > 0) {
    Entry& e = s.entries[s.first];
    const std::int64_t part = std::min(n, e.n);
    e.n -= part;
    n -= part;
    if (e.n == 0) ++s.first;
  }
  // Keeps the queue short when it never runs empty.
  if (s.first > 64 && s.first * 2 > s.entries.size()) {
    s.entries.erase(s.entries.begin(), s.entries.begin() + static_cast<std::ptrdiff_t>(s.first));
    s.first = 0;
  }
}

std::optional<TimeFs> SemaphoreBoard::take(AgentId by, const std::array<exec::SemCount, 2>& wait, TimeFs earliest) {
  if (wait[0].count == 0 && wait[1].count == 0) return earliest;
  if (wait[1].count == 0) return take(by, wait[0].sem, wait[0].count, earliest);
  if (wait[0].count == 0) return take(by, wait[1].sem, wait[1].count, earliest);
  if (wait[0].sem == wait[1].sem) return take(by, wait[0].sem, wait[0].count + wait[1].count, earliest);
  bool enough = true;
  bool shared = false;
  TimeFs when = earliest;
  for (const exec::SemCount& w : wait) {
    Sem& s = sems_[w.sem];
    shared = shared || s.shared;
    if (s.total >= w.count) {
      when = std::max(when, time_of(s, w.count));
    } else {
      s.waiting |= std::uint64_t{1} << by;
      enough = false;
    }
  }
  if (!enough) return std::nullopt;
  if (shared && when > agenda_.now()) {
    agenda_.wake_at(by, when);
    return std::nullopt;
  }
  for (const exec::SemCount& w : wait) {
    remove(sems_[w.sem], w.count);
    tell_taken(by, w.sem, w.count);
  }
  return when;
}

std::optional<TimeFs> SemaphoreBoard::take(AgentId by, std::uint8_t sem, std::int64_t n, TimeFs earliest) {
  if (n <= 0) return earliest;
  Sem& s = sems_[sem];
  if (s.total < n) {
    s.waiting |= std::uint64_t{1} << by;
    return std::nullopt;
  }
  const TimeFs when = std::max(earliest, time_of(s, n));
  if (s.shared && when > agenda_.now()) {
    agenda_.wake_at(by, when);
    return std::nullopt;
  }
  remove(s, n);
  tell_taken(by, sem, n);
  return when;
}

control::Semaphores SemaphoreBoard::snapshot() const {
  control::Semaphores out(static_cast<std::int64_t>(sems_.size()));
  for (std::uint32_t i = 0; i < sems_.size(); ++i)
    if (sems_[i].total > 0) out.post(i, sems_[i].total);
  return out;
}

void SemaphoreBoard::reset() {
  for (Sem& s : sems_) {
    s.entries.clear();
    s.first = 0;
    s.total = 0;
    s.waiting = 0;
  }
}

}  // namespace heddle::compute
