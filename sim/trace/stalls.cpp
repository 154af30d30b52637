// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/stalls.hpp"

#include <algorithm>

namespace heddle::trace {

void Stalls::opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>&, const memory::MemoryStats&) {
  period_ = TimeFs(chip.period_fs());
  dma_start_ = chip.core.dma.start;
  agents_.clear();
  for (std::uint32_t core = 0; core < static_cast<std::uint32_t>(chip.cores); ++core) {
    std::uint8_t number = 0;
    const auto add = [&](isa::Unit unit, std::int64_t count) {
      for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i)
        agents_.push_back({{core, number++}, unit, i, {}});
    };
    add(isa::Unit::control, 1);
    add(isa::Unit::mxu, chip.core.mxu.count);
    add(isa::Unit::vpu, chip.core.vpu.count);
    add(isa::Unit::dma, chip.core.dma.engines);
    agents_a_core_ = number;
  }
}

void Stalls::charge(std::size_t agent, TimeFs until, Reason reason, std::uint32_t pc, const Cause* cause,
                    std::uint8_t which) {
  State& s = states_[agent];
  if (until <= s.cursor) return;
  const TimeFs length = until - s.cursor;
  s.cursor = until;
  if (!counting_) return;
  AgentStalls& a = agents_[agent];
  a.time[static_cast<std::size_t>(reason)] += length;
  const StallKey key{program_,
                     pc,
                     a.unit,
                     reason,
                     cause != nullptr ? cause->sem : which,
                     cause != nullptr ? cause->by.pc : StallKey::nowhere};
  places_[key] += length;
  if (listener_ != nullptr) listener_->charged(agent, key, length);
}

void Stalls::launch_began(std::uint32_t program, std::string_view entry, TimeFs launch, TimeFs start) {
  counting_ = entry_.empty() || entry == entry_;
  program_ = program;
  launch_ = since_ = launch;
  walk_ = {};
  states_.assign(agents_.size(), {launch, launch, false, {}, {}});
  for (std::size_t i = 0; i < agents_.size(); ++i) charge(i, start, Reason::launch, StallKey::nowhere);
}

void Stalls::launch_ended(TimeFs end) {
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    State& s = states_[i];
    if (s.used) {
      charge(i, std::min(s.last_end, end), Reason::pipeline, StallKey::nowhere);
      charge(i, end, Reason::drained, StallKey::nowhere);
    } else {
      charge(i, end, Reason::off, StallKey::nowhere);
    }
  }
  if (counting_) total_ += end - launch_;
}

void Stalls::pass(TimeFs at) {
  if (!counting_) return;
  for (const std::uint32_t s : walk_.before()) passages_[{program_, s}].time += at - since_;
  for (std::size_t i = walk_.kept(); i < walk_.open().size(); ++i) ++passages_[{program_, walk_.open()[i]}].times;
  since_ = at;
}

void Stalls::executed(std::uint32_t core, std::uint32_t pc, TimeFs local) {
  const std::size_t i = index_of({core, 0});
  states_[i].used = true;
  if (core == 0 && walk_.move(programs_[program_], pc)) pass(states_[i].cursor);
  charge(i, local, Reason::busy, pc);
}

void Stalls::stalled(std::uint32_t core, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs, TimeFs to,
                     const Cause* cause) {
  const Reason reason = why == SequencerStall::queue_full  ? Reason::queue_full
                        : why == SequencerStall::semaphore ? Reason::semaphore
                                                           : Reason::fence;
  charge(index_of({core, 0}), to, reason, pc, cause, static_cast<std::uint8_t>(which));
}

void Stalls::halted(std::uint32_t core, TimeFs at) {
  if (core == 0 && walk_.leave()) pass(at);
}

void Stalls::ran(const Record& r) {
  const std::size_t i = index_of(r.agent);
  State& s = states_[i];
  const std::uint32_t pc = r.op.pc;
  s.used = true;
  charge(i, r.ready, Reason::queue_empty, pc);
  charge(i, r.could, Reason::pipeline, pc);
  charge(i, r.start, Reason::semaphore, pc, r.last);
  if (r.op.unit == isa::Unit::dma) {
    charge(i, std::min(r.course.begin, r.start + dma_start_), Reason::dma_start, pc);
    charge(i, r.course.begin, Reason::dma_issue, pc);
    in_flight(i, r.course.end, pc);
  } else {
    const Reason work = r.op.op == isa::Opcode::mxu_load ? Reason::weight_load : Reason::busy;
    charge(i, r.course.free - r.course.conflict, work, pc);
    charge(i, r.course.free, Reason::bank_conflict, pc);
  }
  s.last_end = std::max(s.last_end, r.course.end);
}

void Stalls::data_path(Agent agent, TimeFs from, TimeFs to) {
  std::deque<Span>& path = states_[index_of(agent)].path;
  if (!path.empty() && path.back().to >= from)
    path.back().to = std::max(path.back().to, to);
  else
    path.push_back({from, to});
}

void Stalls::batch_back(Agent agent, const BatchTimes& times) { states_[index_of(agent)].batches.push_back(times); }

// While data pass the data path it is busy. Else the batch that is to come next says where the data was.
void Stalls::in_flight(std::size_t agent, TimeFs end, std::uint32_t pc) {
  State& s = states_[agent];
  while (s.cursor < end) {
    const TimeFs t = s.cursor;
    while (!s.path.empty() && s.path.front().to <= t) s.path.pop_front();
    while (!s.batches.empty() && s.batches.front().back <= t) s.batches.pop_front();
    if (!s.path.empty() && s.path.front().from <= t) {
      charge(agent, std::min(end, s.path.front().to), Reason::busy, pc);
      continue;
    }
    const TimeFs next = s.path.empty() ? end : std::min(end, s.path.front().from);
    if (s.batches.empty()) {
      charge(agent, next, Reason::pipeline, pc);
      continue;
    }
    const BatchTimes& b = s.batches.front();
    if (t < b.issued)
      charge(agent, std::min(next, b.issued), Reason::dma_issue, pc);
    else if (t < b.arrived)
      charge(agent, std::min(next, b.arrived), Reason::noc, pc);
    else if (t < b.served)
      charge(agent, std::min(next, b.served), Reason::hbm, pc);
    else
      charge(agent, std::min(next, b.back), Reason::noc, pc);
  }
}

}  // namespace heddle::trace
