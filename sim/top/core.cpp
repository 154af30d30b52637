// SPDX-License-Identifier: Apache-2.0
#include "sim/top/core.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/compute/mxu.hpp"

namespace heddle::top {
namespace {

compute::AgentMap agent_map(const config::CoreSpec& core) {
  return {static_cast<std::uint32_t>(core.mxu.count), static_cast<std::uint32_t>(core.vpu.count),
          static_cast<std::uint32_t>(core.dma.engines)};
}

}  // namespace

Core::Core(sc_core::sc_module_name name, const config::ChipSpec& chip, std::uint32_t number,
           exec::MachineMemory& memory, exec::ValueStream& values, compute::IRemotePosts& remote,
           compute::Failure& failure, bool all_values, const compute::MxuFactory& make_mxu,
           compute::IMxuObserver* mxu_observer, trace::IObserver* observer, const control::Jitter* jitter)
    : sc_module(name),
      agents_(agent_map(chip.core)),
      agenda_("agenda", failure),
      semaphores_(chip.core.semaphores, agenda_, agents_),
      spm_(chip.core.scratchpad, agents_.count(), TimeFs(chip.period_fs())),
      context_{chip,   number,  TimeFs(chip.period_fs()), all_values,   agenda_,  semaphores_, spm_, values, memory,
               remote, nullptr, compute::sequencer_agent, mxu_observer, observer, jitter} {
  semaphores_.set_observer(observer, number);
  agenda_.set_sink(this);
  const auto build = [&](auto& to, const char* kind, std::uint32_t count, isa::Unit unit, auto&& make) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const compute::AgentId id = agents_.of(unit, i);
      to.push_back(make((kind + std::to_string(i)).c_str(), i, id));
      agenda_.add(id, to.back().get());
      engines_.push_back(to.back().get());
    }
  };
  const auto a = [&]<class E>(std::type_identity<E>) {
    return [&](const char* engine, std::uint32_t i, compute::AgentId id) {
      return std::make_unique<E>(engine, context_, i, id);
    };
  };
  if (make_mxu)
    build(mxus_, "mxu", agents_.mxus, isa::Unit::mxu,
          [&](const char* engine, std::uint32_t i, compute::AgentId id) { return make_mxu(engine, context_, i, id); });
  else
    build(mxus_, "mxu", agents_.mxus, isa::Unit::mxu, a(std::type_identity<compute::Mxu>()));
  build(vpus_, "vpu", agents_.vpus, isa::Unit::vpu, a(std::type_identity<compute::Vpu>()));
  build(dmas_, "dma", agents_.dmas, isa::Unit::dma, a(std::type_identity<dma::Dma>()));
  sequencer_ = std::make_unique<CoreSequencer>(context_, agents_, engines_);
  agenda_.add(compute::sequencer_agent, sequencer_.get());
}

void Core::deliver(std::uint8_t sem, std::int64_t n, TimeFs time, compute::PostOrigin origin) {
  try {
    semaphores_.deliver(sem, n, time, origin);
  } catch (const Error& e) {
    throw exec::locate(e, *context_.image, 0, origin.core, origin.pc, context_.cycle_of(time));
  }
}

void Core::begin_launch(const control::Program& program, std::uint32_t first_instruction,
                        std::uint64_t constants_address, TimeFs start, std::uint64_t max_instructions) {
  context_.image = &program.image();
  semaphores_.begin_launch(program);
  spm_.banks().begin_launch();
  for (compute::Engine* e : engines_) e->begin_launch(start);
  sequencer_->begin_launch(program, first_instruction, constants_address, start, max_instructions);
}

bool Core::finished() const {
  return sequencer_->halted() &&
         std::all_of(engines_.begin(), engines_.end(), [](const compute::Engine* e) { return e->finished(); });
}

TimeFs Core::finished_at() const {
  TimeFs at = sequencer_->local();
  for (compute::Engine* e : engines_) at = std::max(at, e->idle_at().value_or(at));
  return at;
}

void Core::collect_waiting(std::vector<control::Waiting>& out) const {
  if (const auto w = sequencer_->waiting()) out.push_back(*w);
  const auto value = [&](std::uint32_t sem) { return semaphores_.value(sem); };
  for (const compute::Engine* e : engines_)
    if (std::vector<exec::EngineOp> ops = e->not_started(); !ops.empty())
      out.push_back(control::waiting_of(std::move(ops), value));
}

}  // namespace heddle::top
