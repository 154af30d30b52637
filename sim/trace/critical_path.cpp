// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/critical_path.hpp"

#include <algorithm>

namespace heddle::trace {
namespace {

constexpr std::size_t recent_moments = 8;           // of an engine, among which a binding one is looked for
constexpr std::size_t most_sequencer_posts = 1024;  // of one instruction on their way at once

}  // namespace

void CriticalPath::opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>&,
                          const memory::MemoryStats&) {
  period_ = TimeFs(chip.period_fs());
  queue_depth_ = static_cast<std::size_t>(chip.core.sequencer.queue_depth);
  agents_a_core_ = static_cast<std::size_t>(1 + chip.core.mxu.count + chip.core.vpu.count + chip.core.dma.engines);
  agents_.clear();
  agents_.resize(agents_a_core_ * static_cast<std::size_t>(chip.cores));
  posters_.clear();
  posters_.resize(static_cast<std::size_t>(chip.cores));
}

CriticalPath::Ref CriticalPath::step(const Ref& from, std::uint32_t core, std::uint32_t pc,
                                     std::initializer_list<Until> until, PathKind handoff, std::uint32_t handoff_from) {
  std::array<ChainItem, 4> items;
  std::size_t n = 0;
  TimeFs time = from.time();
  const auto key = [&](PathKind kind, std::uint32_t other) {
    return ChainKey{program_, pc, other, static_cast<std::uint16_t>(core), static_cast<std::uint8_t>(kind)};
  };
  for (const Until& u : until) {
    if (u.time <= time) continue;
    items[n++] = {key(u.kind, nowhere), (u.time - time).value()};
    time = u.time;
  }
  if (handoff_from != nowhere) items[n++] = {key(handoff, handoff_from), 1};
  return chains_.extend(from, time, {items.data(), n});
}

void CriticalPath::keep(std::deque<Ref>& recent, Ref ref) {
  recent.push_back(std::move(ref));
  if (recent.size() > recent_moments) recent.pop_front();
}

const CriticalPath::Ref* CriticalPath::latest(const std::deque<Ref>& recent, TimeFs until) {
  const Ref* best = nullptr;
  for (const Ref& r : recent)
    if (r.time() <= until && (best == nullptr || r.time() >= best->time())) best = &r;
  return best;
}

void CriticalPath::launch_began(std::uint32_t program, std::string_view entry, TimeFs launch, TimeFs start) {
  counting_ = entry_.empty() || entry == entry_;
  program_ = program;
  launch_ = launch;
  const Ref begin = step(chains_.begin(launch), 0, nowhere, {{PathKind::launch, start}});
  for (Agents& a : agents_) {
    a = {};
    a.last = a.last_start = a.order = begin;
  }
}

void CriticalPath::launch_ended(TimeFs end) {
  if (counting_) {
    const Agents* last = &agents_.front();
    for (const Agents& a : agents_)
      if (a.last.time() > last->last.time()) last = &a;
    const auto core = static_cast<std::uint32_t>(static_cast<std::size_t>(last - agents_.data()) / agents_a_core_);
    for (const auto& [key, amount] : chains_.sums(step(last->last, core, last->last_pc, {{PathKind::pipeline, end}})))
      sums_[key] += amount;
    total_ += end - launch_;
    ++launches_;
  }
  for (Agents& a : agents_) a = {};
  for (auto& posters : posters_) posters.clear();
  posts_.clear();
  sequencer_posts_.clear();
}

void CriticalPath::executed(std::uint32_t core, std::uint32_t pc, TimeFs local) {
  Agents& s = at({core, 0});
  s.last = step(s.last, core, pc, {{PathKind::sequencer, local}});
  s.last_pc = pc;
  most_nodes_ = std::max(most_nodes_, chains_.nodes());
  const std::vector<isa::Opcode>& ops = programs_[program_].ops;
  if (pc >= ops.size() || (ops[pc] != isa::Opcode::sem_post && ops[pc] != isa::Opcode::sem_post_remote)) return;
  std::deque<Ref>& posts = sequencer_posts_[{core, pc}];
  posts.push_back(s.last);
  if (posts.size() > most_sequencer_posts) posts.pop_front();
}

void CriticalPath::stalled(std::uint32_t core, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs,
                           TimeFs to, const Cause*) {
  Agents& s = at({core, 0});
  Point before;
  PathKind how = PathKind::post;
  if (why == SequencerStall::queue_full) {
    how = PathKind::queue;
    const Agents& e = at({core, static_cast<std::uint8_t>(which)});
    const std::uint64_t freed = e.pushed - queue_depth_ - e.first_departed;
    if (e.pushed >= queue_depth_ && freed < e.departed.size()) before = e.departed[freed];
  } else if (why == SequencerStall::semaphore) {
    before = s.wait;
  } else {
    how = PathKind::fence;
    for (std::uint8_t number = 1; number < agents_a_core_; ++number)
      before.chain = later(before.chain, at({core, number}).last);
  }
  if (before.chain && before.chain.time() > s.last.time())
    s.last = step(before.chain, core, pc, {{PathKind::pipeline, to}}, how, before.pc);
  else
    s.last = step(s.last, core, pc, {{PathKind::pipeline, to}});
}

void CriticalPath::issued(Agent agent, const exec::EngineOp&, TimeFs) {
  Agents& e = at(agent);
  e.issues.push_back(at({agent.core, 0}).last);
  ++e.pushed;
  // The next one may want the place of the one queue_depth before it.
  for (; e.first_departed + queue_depth_ < e.pushed && !e.departed.empty(); ++e.first_departed) e.departed.pop_front();
}

// A post to its own core takes effect when it was made; those to others come in the order in which they were made.
CriticalPath::Point CriticalPath::sequencer_post(std::uint32_t core, std::uint32_t pc, TimeFs time, bool own) {
  std::deque<Ref>& posts = sequencer_posts_[{core, pc}];
  auto made = posts.begin();
  if (own) made = std::find_if(posts.begin(), posts.end(), [&](const Ref& r) { return r.time() == time; });
  if (made == posts.end()) return {};
  Point p{std::move(*made), pc};
  posts.erase(made);
  return p;
}

void CriticalPath::posted(std::uint32_t core, std::uint8_t sem, std::int64_t n, TimeFs time, const Poster& by) {
  Point point;
  if (by.sequence == Poster::none) {
    point = sequencer_post(by.core, by.pc, time, by.core == core);
  } else if (const auto found = posters_[by.core].find(by.sequence); found != posters_[by.core].end()) {
    point = found->second.by;
    if (--found->second.left == 0) posters_[by.core].erase(found);
  }
  if (point.chain && point.chain.time() < time)
    point.chain = step(point.chain, by.core, by.pc, {{by.core == core ? PathKind::pipeline : PathKind::noc, time}});
  posts_[{core, sem}].push_back({std::move(point), n});
}

void CriticalPath::taken(Agent by, std::uint8_t sem, std::int64_t n) {
  std::deque<Posts>& posts = posts_[{by.core, sem}];
  Point& wait = at(by).wait;
  if (by.number == 0) wait = {};  // the sequencer starts nothing
  while (n > 0 && !posts.empty()) {
    Posts& p = posts.front();
    const std::int64_t part = std::min(n, p.left);
    p.left -= part;
    n -= part;
    if (n == 0 && p.by.chain && (!wait.chain || p.by.chain.time() > wait.chain.time())) wait = p.by;
    if (p.left == 0) posts.pop_front();
  }
}

void CriticalPath::started(Agent agent, const exec::EngineOp& op, TimeFs ready, TimeFs could, TimeFs start) {
  Agents& e = at(agent);
  const Point wait = std::exchange(e.wait, {});
  Ref issue = std::move(e.issues.front());
  e.issues.pop_front();
  Ref chain;
  if (wait.chain && wait.chain.time() > could) {
    chain = step(wait.chain, agent.core, op.pc, {{PathKind::pipeline, start}}, PathKind::post, wait.pc);
  } else {
    // What the engine did before: the latest moment at which one of its instructions let others in.
    const Ref* free = latest(e.frees, could);
    const Ref& order = free != nullptr && free->time() > e.last_start.time() ? *free : e.last_start;
    const bool own = ready < could || order.time() >= ready;
    chain = step(own ? order : issue, agent.core, op.pc, {{PathKind::pipeline, start}});
  }
  e.last_start = chain;
  if (op.unit != isa::Unit::dma) e.departed.push_back({chain, op.pc});
  e.under_way.push_back({{std::move(chain), op.pc}, {}, {}});
}

void CriticalPath::ran(const Record& r) {
  Agents& e = at(r.agent);
  const std::uint32_t core = r.agent.core, pc = r.op.pc;
  const UnderWay u = std::move(e.under_way.front());
  e.under_way.pop_front();
  Ref end;
  if (r.op.unit == isa::Unit::dma) {
    ++e.ended;
    end = step(u.done ? u.done : u.begun, core, pc, {{PathKind::pipeline, r.course.end}});
  } else {
    const PathKind work = r.op.unit == isa::Unit::vpu        ? PathKind::vpu
                          : r.op.op == isa::Opcode::mxu_load ? PathKind::weight_load
                                                             : PathKind::mxu;
    Ref free = step(u.start.chain, core, pc,
                    {{work, r.course.free - r.course.conflict}, {PathKind::bank_conflict, r.course.free}});
    end = step(free, core, pc, {{PathKind::pipeline, r.course.end}});
    keep(e.frees, std::move(free));
  }
  if (end.time() >= e.last.time()) {
    e.last = std::move(end);
    e.last_pc = pc;
  }
  const std::int64_t posts = (r.op.post[0].count != 0 ? 1 : 0) + (r.op.post[1].count != 0 ? 1 : 0);
  if (posts > 0) posters_[core][r.op.sequence] = {{e.last, pc}, posts};
}

}  // namespace heddle::trace
