// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/run_log.hpp"

#include <algorithm>

#include "isa/base/error.hpp"
#include "sim/app/bisect/operands.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t most_steps = std::size_t{1} << 22;  // about 2 GB

}  // namespace

void RunLog::opened(const config::ChipSpec& chip, const exec::MachineMemory& memory) {
  *this = {};
  memory_ = &memory;
  mxus_ = static_cast<std::uint32_t>(chip.core.mxu.count);
  resting_.assign(std::size_t{mxus_} * memory.cores(), 0);
  writers_.emplace_back(memory.capacity(isa::Space::hbm) * sizeof(StepId));
  for (std::uint32_t c = 0; c < memory.cores(); ++c)
    for (const isa::Space s : {isa::Space::spm, isa::Space::acc, isa::Space::smem})
      writers_.emplace_back(memory.capacity(s) * sizeof(StepId));
}

void RunLog::begin_launch(const isa::ProgramImage* image) {
  launches_.push_back({end(), image});
  std::fill(resting_.begin(), resting_.end(), 0);
}

StepId* RunLog::writers(const exec::Place& place) const {
  return reinterpret_cast<StepId*>(writers_[memory_number(place)].data());
}

void RunLog::add_source(StepId id) {
  if (!knows(id) || seen_by_[id - base_] == end()) return;
  seen_by_[id - base_] = end();
  sources_.push_back(id);
}

void RunLog::start(const exec::EngineOp& op, std::int64_t cycle) {
  if (!moves_data(op)) return;
  if (steps_.size() == most_steps)
    fail(ErrorKind::unsupported, "HDL-APP-30", "--bisect follows {} engine instructions at most; take a smaller shape",
         most_steps);
  const std::size_t first = sources_.size();
  for (const isa::View* view : sources_of(op)) {
    const StepId* by = writers(exec::place_of(*view, op.chip, op.core));
    StepId last = 0;
    for_each_run(op, *view, *memory_, [&](std::uint64_t begin, std::uint64_t bytes) {
      for (std::uint64_t i = begin; i < begin + bytes; ++i)
        if (by[i] != last) add_source(last = by[i]);
    });
  }
  const std::size_t array = std::size_t{op.core} * mxus_ + op.engine;
  if (op.op == isa::Opcode::mxu_matmul) add_source(resting_[array]);
  if (op.op == isa::Opcode::mxu_load) resting_[array] = end();
  for (const isa::View* view : results_of(op)) {
    StepId* by = writers(exec::place_of(*view, op.chip, op.core));
    for_each_run(op, *view, *memory_,
                 [&](std::uint64_t begin, std::uint64_t bytes) { std::fill_n(by + begin, bytes, end()); });
  }
  steps_.push_back({op, cycle, first, sources_.size() - first});
  seen_by_.push_back(0);
}

void RunLog::forget() {
  base_ = end();
  steps_.clear();
  sources_.clear();
  seen_by_.clear();
}

std::span<const StepId> RunLog::sources(StepId id) const {
  return std::span(sources_).subspan(step(id).first_source, step(id).sources);
}

StepId RunLog::writer(const exec::Place& place, std::uint64_t byte) const { return writers(place)[byte]; }

std::vector<StepId> RunLog::slice(std::vector<StepId> from) const {
  std::vector<bool> in(steps_.size());
  std::vector<StepId> out;
  const auto add = [&](StepId id) {
    if (!knows(id) || in[id - base_]) return;
    in[id - base_] = true;
    out.push_back(id);
  };
  for (const StepId id : from) add(id);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (const StepId source : sources(out[i])) add(source);
  std::sort(out.begin(), out.end());
  return out;
}

std::size_t RunLog::launch_of(StepId id) const {
  const auto after =
      std::upper_bound(launches_.begin(), launches_.end(), id, [](StepId s, const Launch& l) { return s < l.first; });
  return static_cast<std::size_t>(after - launches_.begin()) - 1;
}

}  // namespace heddle::app
