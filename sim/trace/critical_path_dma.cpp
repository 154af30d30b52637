// SPDX-License-Identifier: Apache-2.0
// The part of the critical path inside a DMA engine: transfers, their packets, the memory and the network.
#include <algorithm>

#include "sim/trace/critical_path.hpp"

namespace heddle::trace {

void CriticalPath::transfer_began(Agent agent, TimeFs begin, bool behind) {
  Agents& e = at(agent);
  UnderWay& u = e.under_way[e.begun++ - e.ended];
  u.begun = behind ? step(e.order, agent.core, u.start.pc, {{PathKind::dma_issue, begin}})
                   : step(u.start.chain, agent.core, u.start.pc, {{PathKind::dma_start, begin}});
  e.departed.push_back({u.begun, u.start.pc});
}

void CriticalPath::batch_issued(Agent agent, const BatchIssue& b) {
  Agents& e = at(agent);
  const UnderWay& u = e.under_way[e.begun - 1 - e.ended];
  const std::uint32_t pc = u.start.pc;
  const Ref* before = &u.begun;
  if (b.bound == BatchIssue::Bound::order) before = &e.order;
  if (b.bound == BatchIssue::Bound::packets) {
    before = latest(e.backs, b.issued);
    if (before == nullptr) before = &e.order;
  }
  e.order = step(*before, agent.core, pc, {{PathKind::dma_issue, b.issued}});
  Batch batch{e.begun - 1, pc, b.write, e.order};
  if (b.write) batch.sent = e.path = step(later(e.order, e.path), agent.core, pc, {{PathKind::dma_data, b.sent}});
  e.batches[b.slot] = std::move(batch);
}

void CriticalPath::batch_back(Agent agent, const BatchTimes& t) {
  Agents& e = at(agent);
  const auto found = e.batches.find(t.slot);
  const Batch b = std::move(found->second);
  e.batches.erase(found);
  const std::uint32_t core = agent.core, pc = b.pc;
  const bool memory = t.served > TimeFs{};  // else another core's scratchpad

  Ref served = b.sent;
  if (memory) {
    const TimeFs service = t.served - t.arrived;
    TimeFs& shortest = shortest_service_[b.write ? 1 : 0];
    if (shortest == TimeFs{} || service < shortest) shortest = service;
    const bool queued = service > shortest * 2 && e.served && e.served.time() > t.arrived && e.served.time() < t.served;
    served = queued ? step(e.served, core, pc, {{PathKind::hbm, t.served}})
                    : step(b.sent, core, pc, {{PathKind::noc, t.arrived}, {PathKind::hbm, t.served}});
    e.served = later(e.served, served);
  }
  Ref done = step(served, core, pc, {{PathKind::noc, t.back}});
  if (!b.write) {
    if (t.behind && e.path) done = e.path;
    done = e.path = step(done, core, pc, {{PathKind::dma_data, t.through}});
  }
  done = step(done, core, pc, {{PathKind::pipeline, t.done}});
  keep(e.backs, done);
  UnderWay& u = e.under_way[b.transfer - e.ended];
  u.done = later(done, u.done);
}

void CriticalPath::moved_near(Agent agent, TimeFs from, TimeFs to, TimeFs done) {
  Agents& e = at(agent);
  UnderWay& u = e.under_way[e.begun - 1 - e.ended];
  const Ref& before = e.path && e.path.time() > u.begun.time() && e.path.time() <= from ? e.path : u.begun;
  e.order = e.path = step(before, agent.core, u.start.pc, {{PathKind::dma_data, to}});
  u.done = step(e.path, agent.core, u.start.pc, {{PathKind::pipeline, done}});
}

}  // namespace heddle::trace
