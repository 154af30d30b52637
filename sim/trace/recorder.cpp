// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/recorder.hpp"

#include <algorithm>

namespace heddle::trace {
namespace {

const Cause* latest(std::span<const Cause> causes) {
  const auto at =
      std::max_element(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) { return a.time < b.time; });
  return at == causes.end() ? nullptr : &*at;
}

}  // namespace

// Any function that tells them apart would do: this one is the finaliser of splitmix64 after each word.
std::uint64_t Recorder::flow(std::uint64_t launch, std::uint32_t to_core, std::uint8_t sem, const Poster& by,
                             int unit) {
  std::uint64_t h = 0;
  for (const std::uint64_t word : {launch, std::uint64_t{to_core} << 32 | by.core, std::uint64_t{sem}, by.sequence,
                                   std::uint64_t{by.pc} << 32 | static_cast<std::uint64_t>(unit)}) {
    h += word + 0x9e3779b97f4a7c15ull;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
    h ^= h >> 31;
  }
  return h;
}

void Recorder::opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
                      const memory::MemoryStats& memory) {
  for (IListener* l : listeners_) l->opened(chip, links, memory);
}

void Recorder::watch_channels(const memory::IMemoryModel& memory) {
  for (IListener* l : listeners_) l->watch_channels(memory);
}

void Recorder::launch_began(const control::Program& program, std::uint32_t first_instruction, TimeFs launch,
                            TimeFs start) {
  ++launch_;
  posts_.clear();
  agents_.clear();
  const std::uint32_t number = programs_.add(program);
  for (IListener* l : listeners_) l->launch_began(number, programs_[number].entry(first_instruction), launch, start);
}

void Recorder::launch_ended(TimeFs end) {
  for (IListener* l : listeners_) l->launch_ended(end);
}

void Recorder::executed(std::uint32_t core, std::uint32_t pc, TimeFs, TimeFs local) {
  for (IListener* l : listeners_) l->executed(core, pc, local);
}

void Recorder::stalled(std::uint32_t core, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs from,
                       TimeFs to) {
  std::vector<Cause>& taken = agents_[{core, 0}].taken;
  const Cause* cause = why == SequencerStall::semaphore && !taken.empty() ? &taken.back() : nullptr;
  for (IListener* l : listeners_) l->stalled(core, pc, why, which, from, to, cause);
}

void Recorder::halted(std::uint32_t core, TimeFs at) {
  for (IListener* l : listeners_) l->halted(core, at);
}

void Recorder::issued(Agent agent, const exec::EngineOp& op, TimeFs time) {
  for (IListener* l : listeners_) l->issued(agent, op, time);
}

void Recorder::posted(std::uint32_t core, std::uint8_t sem, std::int64_t n, TimeFs time, const Poster& by) {
  posts_[{core, sem}].push_back({by, time, n, n});
  for (IListener* l : listeners_) l->posted(core, sem, n, time, by);
}

void Recorder::taken(Agent by, std::uint8_t sem, std::int64_t n) {
  const std::int64_t took = n;
  std::deque<Post>& posts = posts_[{by.core, sem}];
  AgentState& state = agents_[by];
  if (by.number == 0) state.taken.clear();  // the sequencer starts nothing
  while (n > 0 && !posts.empty()) {
    Post& p = posts.front();
    const std::int64_t part = std::min(n, p.left);
    p.left -= part;
    n -= part;
    if (n == 0) {
      const int unit = static_cast<int>(std::min<std::int64_t>(p.total - p.left - 1, most_arrows));
      state.taken.push_back({sem, p.time, p.by, flow(launch_, by.core, sem, p.by, unit)});
    }
    if (p.left == 0) posts.pop_front();
  }
  for (IListener* l : listeners_) l->taken(by, sem, took);
}

void Recorder::started(Agent agent, const exec::EngineOp& op, TimeFs ready, TimeFs could, TimeFs start) {
  AgentState& state = agents_[agent];
  state.under_way.push_back({ready, could, start, std::move(state.taken)});
  state.taken.clear();
  for (IListener* l : listeners_) l->started(agent, op, ready, could, start);
}

void Recorder::finished(Agent agent, const exec::EngineOp& op, const Course& course) {
  std::deque<Start>& under_way = agents_[agent].under_way;
  const Start s = std::move(under_way.front());
  under_way.pop_front();
  const Record record{agent, op, s.ready, s.could, s.start, s.causes, latest(s.causes), course};
  for (IListener* l : listeners_) l->ran(record);
}

void Recorder::memory_asked(Agent agent, const exec::EngineOp& op, bool write, std::int64_t bytes) {
  for (IListener* l : listeners_) l->memory_asked(agent, op, write, bytes);
}

void Recorder::transfer_began(Agent agent, TimeFs begin, bool behind) {
  for (IListener* l : listeners_) l->transfer_began(agent, begin, behind);
}

void Recorder::batch_issued(Agent agent, const BatchIssue& batch) {
  for (IListener* l : listeners_) l->batch_issued(agent, batch);
}

void Recorder::moved_near(Agent agent, TimeFs from, TimeFs to, TimeFs done) {
  for (IListener* l : listeners_) l->moved_near(agent, from, to, done);
}

void Recorder::data_path(Agent agent, TimeFs from, TimeFs to) {
  for (IListener* l : listeners_) l->data_path(agent, from, to);
}

void Recorder::batch_back(Agent agent, const BatchTimes& times) {
  for (IListener* l : listeners_) l->batch_back(agent, times);
}

void Recorder::now(TimeFs time) {
  for (IListener* l : listeners_) l->now(time);
}

}  // namespace heddle::trace
