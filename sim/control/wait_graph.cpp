// SPDX-License-Identifier: Apache-2.0
#include "sim/control/wait_graph.hpp"

#include <algorithm>

#include "isa/codec/codec.hpp"

namespace heddle::control {
namespace {

using F = isa::FieldId;

// The op's own word names the semaphores; where the second post goes, its view said at issue.
bool posts_to(const exec::EngineOp& op, std::uint32_t core, std::uint32_t sem) {
  for (std::size_t i = 0; i < op.post.size(); ++i) {
    const bool away = i == 1 && op.remote_post && op.vd.remote;
    if (op.post[i].count != 0 && op.post[i].sem == sem && (away ? op.vd.core : op.core) == core) return true;
  }
  return false;
}

bool posts_away(const isa::Instruction& in, std::uint32_t sem) {
  if (in.op == isa::Opcode::sem_post_remote) return in[F::sem] == sem;
  return in.op != isa::Opcode::sem_post && in[F::remote_post] != 0 && in[F::post1_n] != 0 && in[F::post1_sem] == sem;
}

bool is_sequencer(const Waiting& w) { return w.unit == isa::Unit::control; }

// The instructions of the image that post `sem` to the core whose sequencer comes to them, and to another one.
// sem.post.remote is for others; to its own core it may post as well.
struct Posters {
  std::vector<std::uint32_t> home, away;
};
Posters posters_of(const isa::ProgramImage& image, std::uint32_t sem) {
  Posters p;
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
    const isa::Instruction in = isa::decode(image.code[pc]);
    if (in.op != isa::Opcode::sem_post_remote && posts(in, sem)) p.home.push_back(pc);
    if (posts_away(in, sem)) p.away.push_back(pc);
  }
  return p;
}

// Which instructions a sequencer that stands at one may still come to; its own, if it has yet to issue it.
std::vector<bool> ahead_of(const isa::ProgramImage& image, const Waiting& sequencer) {
  std::vector<bool> reached(image.code.size());
  std::vector<std::uint32_t> next;
  const auto reach = [&](std::uint64_t pc) {
    if (pc >= reached.size() || reached[pc]) return;
    reached[pc] = true;
    next.push_back(static_cast<std::uint32_t>(pc));
  };
  const auto leave = [&](std::uint32_t pc) {
    const isa::Instruction in = isa::decode(image.code[pc]);
    if (in.op == isa::Opcode::jalr)  // anywhere
      for (std::uint32_t i = 0; i < reached.size(); ++i) reach(i);
    for (const isa::Field& f : isa::fields_of(isa::info(in.op).format))
      if (f.kind == isa::FieldKind::code_target) reach(static_cast<std::uint64_t>(in[f.id]));
    if (in.op != isa::Opcode::jal && in.op != isa::Opcode::halt && in.op != isa::Opcode::trap) reach(pc + 1);
  };
  if (sequencer.reason == Waiting::Reason::queue_full)
    reach(sequencer.pc);
  else
    leave(sequencer.pc);
  while (!next.empty()) {
    const std::uint32_t pc = next.back();
    next.pop_back();
    leave(pc);
  }
  return reached;
}

std::vector<Edge> meeting(const Waiting& w, std::uint32_t sem, const Posters& posters, std::span<const Waiting> waiting,
                          const std::vector<std::vector<bool>>& ahead) {
  std::vector<Edge> edges;
  const auto to_come = [&](std::size_t sequencer, const std::vector<std::uint32_t>& from) {
    const auto next = std::find_if(from.begin(), from.end(), [&](std::uint32_t pc) { return ahead[sequencer][pc]; });
    if (next != from.end()) edges.push_back({sequencer, sem, *next, Stuck::not_issued});
  };
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const Waiting& o = waiting[i];
    for (const exec::EngineOp& op : o.queue)
      if (posts_to(op, w.core, sem)) {
        edges.push_back({i, sem, op.pc, &op == o.queue.data() ? Stuck::waits : Stuck::queued});
        break;
      }
    if (!is_sequencer(o)) continue;
    to_come(i, o.core == w.core ? posters.home : posters.away);
  }
  for (std::size_t i = 0; edges.empty() && i < waiting.size(); ++i)
    if (is_sequencer(waiting[i]) && waiting[i].core == w.core) to_come(i, posters.away);
  return edges;
}

}  // namespace

bool posts(const isa::Instruction& in, std::uint32_t sem) {
  if (in.op == isa::Opcode::sem_post || in.op == isa::Opcode::sem_post_remote) return in[F::sem] == sem;
  return (in[F::post0_n] != 0 && in[F::post0_sem] == sem) || (in[F::post1_n] != 0 && in[F::post1_sem] == sem);
}

WaitGraph::WaitGraph(const isa::ProgramImage& image, std::span<const Waiting> waiting)
    : edges_(waiting.size()), hopeless_(waiting.size()) {
  std::vector<std::vector<bool>> ahead;
  for (const Waiting& w : waiting) ahead.push_back(is_sequencer(w) ? ahead_of(image, w) : std::vector<bool>());
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const Waiting& w = waiting[i];
    for (std::size_t o = 0; o < waiting.size(); ++o) {
      const Waiting& other = waiting[o];
      if (other.core != w.core || is_sequencer(other)) continue;
      if (w.reason == Waiting::Reason::fence) edges_[i].push_back({o, 0, other.pc, Stuck::busy});
      if (w.reason == Waiting::Reason::queue_full && other.unit == w.full_unit && other.engine == w.full_engine)
        edges_[i].push_back({o, 0, other.pc, Stuck::full_queue});
    }
    if (w.reason != Waiting::Reason::semaphore) continue;
    for (const Waiting::Need& need : w.needs) {
      if (need.needed == 0 || need.has >= need.needed) continue;
      const std::vector<Edge> found = meeting(w, need.sem, posters_of(image, need.sem), waiting, ahead);
      if (found.empty()) hopeless_[i] = need.sem;
      edges_[i].insert(edges_[i].end(), found.begin(), found.end());
    }
  }
}

std::vector<WaitGraph::Step> WaitGraph::circle() const {
  std::vector<Step> best;
  const std::size_t n = edges_.size();
  for (std::size_t start = 0; start < n; ++start) {
    // Breadth first from `start` back to it.
    std::vector<std::optional<Step>> came(n);  // by the node that the step leads to
    std::vector<std::size_t> order{start};
    for (std::size_t at = 0; at < order.size() && !came[start]; ++at)
      for (const Edge& e : edges_[order[at]]) {
        if (came[e.to]) continue;
        came[e.to] = Step{order[at], e};
        if (e.to == start) break;
        order.push_back(e.to);
      }
    if (!came[start]) continue;
    std::vector<Step> steps;
    for (std::size_t at = start;;) {
      steps.push_back(*came[at]);
      at = came[at]->from;
      if (at == start) break;
    }
    std::reverse(steps.begin(), steps.end());
    if (best.empty() || steps.size() < best.size()) best = std::move(steps);
  }
  return best;
}

}  // namespace heddle::control
