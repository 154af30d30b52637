// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/past.hpp"

#include <algorithm>

namespace heddle::debug {

// ---- What is told

void Past::opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>&, const memory::MemoryStats&) {
  chip_ = &chip;
  period_ = TimeFs(chip.period_fs());
  semaphores_ = static_cast<std::uint32_t>(chip.core.semaphores);
  time_ = TimeFs{};
  cores_.clear();
  cores_.resize(static_cast<std::size_t>(chip.cores));
  reset();
}

void Past::closed() {
  program_ = nullptr;
  chip_ = nullptr;
  cores_.clear();
}

void Past::reset() {
  const auto engines =
      static_cast<std::size_t>(1 + chip_->core.mxu.count + chip_->core.vpu.count + chip_->core.dma.engines);
  for (Core& c : cores_) {
    c = Core{};
    c.engines.resize(engines);
    c.taking.resize(engines);
    c.semaphores.assign(semaphores_, 0);
  }
}

void Past::launch_began(const control::Program& program, std::uint32_t, TimeFs launch, TimeFs) {
  program_ = &program;
  reset();
  time_ = launch;
}

void Past::launch_ended(TimeFs end) {
  turn_to(end);
  program_ = nullptr;
}

void Past::reached(const control::Sequencer& sequencer, const control::Moment& at) {
  Core& c = cores_[at.core];
  if (c.steps.empty() && !c.state.started) {
    for (int i = 0; i < 32; ++i) c.state.x[static_cast<std::size_t>(i)] = sequencer.x(i);
  } else if (!c.steps.empty()) {
    Step& last = c.steps.back();
    const control::Micro& m = program_->code()[last.pc];
    for (const isa::Field& f : isa::fields_of(isa::info(m.op).format)) {
      if (f.id == isa::FieldId::rd) {
        last.x = m.rd;
        last.value = sequencer.x(m.rd);
      }
      if (f.id == isa::FieldId::vd && isa::info(m.op).unit == isa::Unit::view) {
        last.v = m.vd;
        last.view = std::make_shared<const isa::View>(sequencer.v(m.vd));
      }
    }
  }
  Step step;
  step.time = period_ * at.cycle;
  step.pc = at.pc;
  c.steps.push_back(std::move(step));
}

void Past::executed(std::uint32_t core, std::uint32_t, TimeFs, TimeFs local) {
  cores_[core].local = local;
  cores_[core].last_take.reset();
}

void Past::stalled(std::uint32_t core, std::uint32_t, trace::SequencerStall why, std::uint32_t, TimeFs, TimeFs to) {
  Core& c = cores_[core];
  if (why == trace::SequencerStall::semaphore && c.last_take) c.changes[*c.last_take].time = to;
}

void Past::halted(std::uint32_t core, TimeFs at) { cores_[core].halt = at; }

void Past::issued(trace::Agent agent, const exec::EngineOp& op, TimeFs time) {
  EngineEntry e;
  e.op = op;
  e.issued = time;
  cores_[agent.core].engines[agent.number].push_back(std::move(e));
}

EngineEntry* Past::find(trace::Agent agent, std::uint64_t sequence) {
  for (EngineEntry& e : cores_[agent.core].engines[agent.number])
    if (e.op.sequence == sequence) return &e;
  return nullptr;
}

void Past::posted(std::uint32_t core, std::uint8_t sem, std::int64_t n, TimeFs time, const trace::Poster&) {
  cores_[core].changes.push_back({time, sem, n});
}

void Past::taken(trace::Agent by, std::uint8_t sem, std::int64_t n) {
  Core& c = cores_[by.core];
  if (by.number != 0) return c.taking[by.number].push_back({TimeFs{}, sem, -n});
  c.last_take = c.changes.size();
  c.changes.push_back({c.local, sem, -n});
}

void Past::started(trace::Agent agent, const exec::EngineOp& op, TimeFs, TimeFs, TimeFs start) {
  Core& c = cores_[agent.core];
  for (Change change : c.taking[agent.number]) {
    change.time = start;
    c.changes.push_back(change);
  }
  c.taking[agent.number].clear();
  if (EngineEntry* const e = find(agent, op.sequence)) {
    e->started = true;
    e->start = start;
  }
}

void Past::finished(trace::Agent agent, const exec::EngineOp& op, const trace::Course& course) {
  if (EngineEntry* const e = find(agent, op.sequence)) {
    e->ended = true;
    e->end = course.end;
  }
}

// ---- Turning forward

std::optional<TimeFs> Past::next_step(std::uint32_t core) const {
  const Core& c = cores_[core];
  const std::size_t next = c.state.started ? 1 : 0;
  if (c.steps.size() <= next) return std::nullopt;
  return c.steps[next].time;
}

void Past::step(std::uint32_t core) {
  Core& c = cores_[core];
  CoreState& s = c.state;
  if (s.started) {
    Step& done = c.steps.front();
    if (done.x > 0) s.x[static_cast<std::size_t>(done.x)] = done.value;
    if (done.v >= 0) {
      s.v[static_cast<std::size_t>(done.v)] = *done.view;
      s.set.set(static_cast<std::size_t>(done.v));
    }
    ++s.executed;
    c.steps.pop_front();
  }
  s.started = true;
  s.pc = c.steps.front().pc;
  s.reached = c.steps.front().time;
  turn_to(std::max(time_, c.steps.front().time));
}

bool Past::idle_at(std::uint32_t core, std::size_t agent, TimeFs time) const {
  const auto& all = cores_[core].engines[agent];
  return std::none_of(all.begin(), all.end(),
                      [&](const EngineEntry& e) { return e.queued_at(time) || e.at_work_at(time); });
}

std::optional<TimeFs> Past::next_idle(std::uint32_t core, std::size_t agent) const {
  if (idle_at(core, agent, time_)) return time_;
  std::optional<TimeFs> first;
  for (const EngineEntry& e : cores_[core].engines[agent])
    if (e.ended && e.end > time_ && (!first || e.end < *first) && idle_at(core, agent, e.end)) first = e.end;
  return first;
}

void Past::turn_to(TimeFs time) {
  time_ = std::max(time_, time);
  for (Core& c : cores_) {
    if (c.halt && *c.halt <= time_) c.state.halted = true;
    for (const Change& change : c.changes)
      if (change.time <= time_) c.semaphores[change.sem] += change.n;
    if (std::erase_if(c.changes, [&](const Change& change) { return change.time <= time_; }) != 0) c.last_take.reset();
    for (auto& engine : c.engines)
      while (!engine.empty() && engine.front().ended && engine.front().end <= time_) engine.pop_front();
  }
}

TimeFs Past::last() const {
  TimeFs last = time_;
  for (const Core& c : cores_) {
    last = std::max(last, c.halt.value_or(last));
    for (const auto& engine : c.engines)
      for (const EngineEntry& e : engine) last = std::max(last, e.ended ? e.end : e.issued);
  }
  return last;
}

bool Past::finished() const {
  for (std::uint32_t core = 0; core < cores_.size(); ++core) {
    if (!cores_[core].state.halted) return false;
    for (std::size_t a = 1; a < agents(); ++a)
      if (!idle(core, a)) return false;
  }
  return true;
}

// ---- Waiting

std::optional<control::Waiting> Past::sequencer_waiting(std::uint32_t core) const {
  const Core& c = cores_[core];
  if (!c.state.started || c.state.halted || !program_) return std::nullopt;
  const control::Micro& m = program_->code()[c.state.pc];
  control::Waiting w;
  w.core = core;
  w.pc = c.state.pc;
  if (m.op == isa::Opcode::sem_wait) {
    const std::int64_t n = m.imm + c.state.x[m.rs1];
    if (semaphore(core, m.sem) >= n) return std::nullopt;
    w.needs[0] = {m.sem, n, semaphore(core, m.sem)};
    return w;
  }
  if (m.op == isa::Opcode::fence) {
    w.reason = control::Waiting::Reason::fence;
    for (std::size_t a = 1; a < c.engines.size(); ++a)
      if (!idle(core, a)) return w;
    return std::nullopt;
  }
  const isa::Unit unit = isa::info(m.op).unit;
  if (!isa::is_engine(unit)) return std::nullopt;
  const auto first = unit == isa::Unit::mxu   ? 1
                     : unit == isa::Unit::vpu ? 1 + chip_->core.mxu.count
                                              : 1 + chip_->core.mxu.count + chip_->core.vpu.count;
  const auto& queue = c.engines[static_cast<std::size_t>(first) + m.engine];
  const auto queued = std::count_if(queue.begin(), queue.end(), [&](const auto& e) { return e.queued_at(time_); });
  if (queued < chip_->core.sequencer.queue_depth) return std::nullopt;
  w.reason = control::Waiting::Reason::queue_full;
  w.full_unit = unit;
  w.full_engine = m.engine;
  return w;
}

std::vector<control::Waiting> Past::waiting(std::uint32_t core) const {
  std::vector<control::Waiting> out;
  if (const auto w = sequencer_waiting(core)) out.push_back(*w);
  const auto value = [&](std::uint32_t sem) { return semaphore(core, sem); };
  for (const auto& engine : cores_[core].engines) {
    std::vector<exec::EngineOp> queue;
    for (const auto& e : engine)
      if (e.queued_at(time_)) queue.push_back(e.op);
    if (queue.empty()) continue;
    const control::Waiting w = control::waiting_of(std::move(queue), value);
    const bool short_of =
        std::any_of(w.needs.begin(), w.needs.end(), [](const auto& n) { return n.needed != 0 && n.has < n.needed; });
    if (short_of) out.push_back(w);
  }
  return out;
}

}  // namespace heddle::debug
