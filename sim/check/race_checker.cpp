// SPDX-License-Identifier: Apache-2.0
#include "sim/check/race_checker.hpp"

#include <cstring>

#include "isa/base/error.hpp"
#include "sim/exec/byte_runs.hpp"
#include "sim/exec/validate.hpp"

namespace heddle::check {
namespace {

using isa::Opcode;

constexpr std::size_t remembered_events = std::size_t{1} << 20;

bool ordered(const void* history, const Clock& clock, Stamp s) {
  return moment_of(s) <= static_cast<const History*>(history)->base() || clock.covers(s);
}

}  // namespace

RaceChecker::RaceChecker(const config::ChipSpec& chip, const exec::MachineMemory& memory, Findings& findings)
    : chip_(chip),
      memory_(memory),
      findings_(findings),
      agents_a_core_(static_cast<std::uint32_t>(1 + chip.core.mxu.count + chip.core.vpu.count + chip.core.dma.engines)),
      semaphores_a_core_(static_cast<std::uint32_t>(chip.core.semaphores)),
      agents_(std::size_t{agents_a_core_} * memory.cores()),
      semaphores_(std::size_t{semaphores_a_core_} * memory.cores()),
      pcs_(remembered_events) {
  if (agents_a_core_ > Clock::most_agents)
    fail(ErrorKind::unsupported, "HDL-CHECK-02", "the race checker follows {} engines of a core, this chip has {}",
         Clock::most_agents - 1, agents_a_core_ - 1);
  for (Agent& a : agents_) a.issued.resize(static_cast<std::size_t>(chip.core.sequencer.queue_depth) + 1);
  rules_ = {&history_, &ordered, static_cast<std::uint32_t>(agents_.size())};
  shadows_.emplace_back(memory.capacity(isa::Space::hbm));
  for (std::uint32_t c = 0; c < memory.cores(); ++c)
    for (const isa::Space s : {isa::Space::spm, isa::Space::acc, isa::Space::smem})
      shadows_.emplace_back(memory.capacity(s));
}

std::uint32_t RaceChecker::agent_number(const exec::EngineOp& op) const {
  const auto mxus = static_cast<std::uint32_t>(chip_.core.mxu.count);
  const auto vpus = static_cast<std::uint32_t>(chip_.core.vpu.count);
  const std::uint32_t first = op.unit == isa::Unit::mxu ? 1 : op.unit == isa::Unit::vpu ? 1 + mxus : 1 + mxus + vpus;
  return op.core * agents_a_core_ + first + op.engine;
}

void RaceChecker::begin_launch(const isa::ProgramImage* image) {
  image_ = image;
  history_.forget(now_);
  launch_ = now_;
  for (std::uint32_t a = 0; a < agents_.size(); ++a) {
    agents_[a].clock = Clock(a / agents_a_core_, agents_a_core_);
    agents_[a].issued_first = agents_[a].issued_count = 0;
  }
  for (SemaphoreOrder& s : semaphores_) s.clear();
}

Stamp RaceChecker::next_event(std::uint32_t agent, std::uint32_t pc) {
  ++now_;
  pcs_[now_ % remembered_events] = pc;
  agents_[agent].clock.set_own(agent % agents_a_core_, now_);
  return make_stamp(agent, now_);
}

void RaceChecker::issue(const exec::EngineOp& op) {
  const std::uint32_t sequencer = op.core * agents_a_core_;
  Agent& engine = agents_[agent_number(op)];
  if (engine.issued_count == engine.issued.size()) return;  // a queue is never longer
  engine.issued[(engine.issued_first + engine.issued_count++) % engine.issued.size()] = agents_[sequencer].clock;
}

void RaceChecker::take(Current& current, Clock& clock, std::uint32_t sem, std::int64_t n) {
  const std::uint32_t core = current.agent / agents_a_core_;
  if (const Stamp other = semaphore(core, sem).take(rules_, clock, current.stamp, n); other != 0)
    add_second_waiter(current, core, sem, other);
}

void RaceChecker::post(const Current& current, const Clock& clock, std::uint32_t core, std::uint32_t sem,
                       std::int64_t n) {
  semaphore(core, sem).post(rules_, clock, current.stamp, n);
}

void RaceChecker::start(const exec::EngineOp& op, std::int64_t cycle) {
  const std::uint32_t number = agent_number(op);
  Agent& agent = agents_[number];
  if (agent.issued_count != 0) {
    agent.clock.join(agent.issued[agent.issued_first], rules_.all_agents);
    agent.issued_first = (agent.issued_first + 1) % agent.issued.size();
    --agent.issued_count;
  }
  Current current{number, op.pc, next_event(number, op.pc), &op, cycle};
  const auto& [a, b] = op.wait;
  if (a.count != 0 && b.count != 0 && a.sem == b.sem) {
    take(current, agent.clock, a.sem, a.count + b.count);
  } else {
    // A semaphore that changes hands is taken last: the other wait may be what orders the two takers.
    const bool swap = a.count != 0 && semaphore(op.core, a.sem).last_taken_by_another(number);
    for (const exec::SemCount& w : {swap ? b : a, swap ? a : b})
      if (w.count != 0) take(current, agent.clock, w.sem, w.count);
  }
  const bool sync = op.op == Opcode::dma_sync || op.op == Opcode::mxu_sync || op.op == Opcode::vpu_sync;
  if (!sync && !exec::is_empty(op)) touch_operands(current, agent.clock);
  for (std::size_t i = 0; i < op.post.size(); ++i) {
    if (op.post[i].count == 0) continue;
    const bool away = i == 1 && op.remote_post && op.vd.remote;
    post(current, agent.clock, away ? op.vd.core : op.core, op.post[i].sem, op.post[i].count);
  }
}

void RaceChecker::sequencer_wait(std::uint32_t core, std::uint32_t pc, std::uint32_t sem, std::int64_t n) {
  const std::uint32_t number = core * agents_a_core_;
  Current current{number, pc, next_event(number, pc)};
  take(current, agents_[number].clock, sem, n);
}

void RaceChecker::sequencer_post(std::uint32_t core, std::uint32_t pc, std::uint32_t to_core, std::uint32_t sem,
                                 std::int64_t n) {
  const std::uint32_t number = core * agents_a_core_;
  const Current current{number, pc, next_event(number, pc)};
  post(current, agents_[number].clock, to_core, sem, n);
}

void RaceChecker::fence(std::uint32_t core) {
  Clock& clock = agents_[std::size_t{core} * agents_a_core_].clock;
  for (std::uint32_t e = 1; e < agents_a_core_; ++e)
    clock.join(agents_[std::size_t{core} * agents_a_core_ + e].clock, rules_.all_agents);
  // Nobody else is there who could come before what comes now.
  if (memory_.cores() == 1) history_.forget(now_);
}

void RaceChecker::sequencer_access(std::uint32_t core, std::uint32_t pc, std::uint64_t address, std::uint64_t bytes,
                                   bool write) {
  const std::uint32_t number = core * agents_a_core_;
  const Current current{number, pc, next_event(number, pc)};
  const Access access{agents_[number].clock, current.stamp, write};
  Pass pass(history_, shadows_[1 + 3 * std::size_t{core} + 2], access);
  pass.touch(address, address + bytes);
  note(current, {isa::Space::smem, 0, core}, nullptr, "", write, pass);
}

void RaceChecker::touch(const Current& current, const Clock& clock, const isa::View& view, const char* what,
                        bool write) {
  const exec::Place place = exec::place_of(view, current.op->chip, current.op->core);
  const std::size_t row =
      place.space == isa::Space::hbm ? 0 : 1 + 3 * std::size_t{place.core} + static_cast<std::size_t>(place.space) - 1;
  const Access access{clock, current.stamp, write,
                      write && current.op->op == Opcode::mxu_matmul && current.op->accumulate};
  Pass pass(history_, shadows_[row], access);
  const exec::ByteRuns runs(view);
  runs.for_each([&](std::int64_t at) {
    const auto begin = static_cast<std::uint64_t>(at);
    pass.touch(begin, begin + static_cast<std::uint64_t>(runs.length));
  });
  note(current, place, &view, what, write, pass);
}

void RaceChecker::note(const Current& current, const exec::Place& place, const isa::View* view, const char* what,
                       bool write, const Pass& pass) {
  for (const Conflict& c : pass.conflicts()) {
    if (c.sums == 0)
      add_race(current, place, view, what, write, c);
    else
      add_early_read(current, place, c);
  }
}

// The rows of a table that the index list names, and no others. An index out of range is left to those who execute.
void RaceChecker::touch_rows(const Current& current, const Clock& clock, const isa::View& table, const char* what,
                             bool write) {
  const isa::View& list = current.op->vb;
  const std::uint32_t core = list.remote ? list.core : current.op->core;
  const exec::Region& region = memory_.region(list.space, 0, core);
  isa::View row = table;
  row.size[0] = 1;
  for (std::uint32_t i = 0; i < list.size[0]; ++i) {
    std::int32_t index = 0;
    std::memcpy(&index, region.data + static_cast<std::int64_t>(list.base) + i * list.stride[0] * 4, sizeof(index));
    if (index < 0 || static_cast<std::uint32_t>(index) >= table.size[0]) return;
    row.base = table.base + static_cast<std::uint64_t>(index * table.stride[0] * bits(table.dtype) / 8);
    touch(current, clock, row, what, write);
  }
}

void RaceChecker::touch_operands(const Current& current, const Clock& clock) {
  const exec::EngineOp& op = *current.op;
  if (op.op == Opcode::dma_gather || op.op == Opcode::dma_scatter) {
    const bool gather = op.op == Opcode::dma_gather;
    touch(current, clock, op.vb, "the index list", false);
    if (gather) {
      touch_rows(current, clock, op.va, "the source's rows", false);
      return touch(current, clock, op.vd, "the destination", true);
    }
    touch(current, clock, op.va, "the source", false);
    return touch_rows(current, clock, op.vd, "the destination's rows", true);
  }
  bool reads_vb = op.has_bias;
  bool reads_vc = false;
  bool reads_va = false;
  for (const isa::Field& f : isa::fields_of(isa::info(op.op).format)) {
    reads_va = reads_va || f.id == isa::FieldId::va;
    reads_vb = reads_vb || f.id == isa::FieldId::vb;
    reads_vc = reads_vc || (f.id == isa::FieldId::vc && f.access == isa::Access::read);
  }
  if (reads_va) touch(current, clock, op.va, "the source", false);
  if (reads_vb) touch(current, clock, op.vb, op.has_bias ? "the bias" : "the second source", false);
  if (reads_vc) touch(current, clock, op.vc, "the third source", false);
  if (op.has_row || op.op == Opcode::vpu_topk) touch(current, clock, op.vc, "the second result", true);
  if (op.op != Opcode::mxu_load) touch(current, clock, op.vd, "the destination", true);
}

}  // namespace heddle::check
