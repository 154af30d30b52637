// SPDX-License-Identifier: Apache-2.0
// Loops, branches, scopes, kernels, entries, barriers.
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "isa/image/hazards.hpp"
#include "sdk/arch/state.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

bool fits_immediate(std::int64_t v) {
  return v >= std::numeric_limits<std::int32_t>::min() && v <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

ScopeGuard::~ScopeGuard() { recorder_->end_scope(kernel_); }

Scalar Recorder::begin_loop(Scalar begin, Scalar end, Scalar step, const Loc& loc) {
  at(loc);
  State& s = *state_;
  if (step.is_constant() && step.constant() <= 0) error("HDL-SDK-08", "the step of a loop must be above 0");
  Frame f;
  f.node.file = s.file;
  f.node.line = s.line;
  const bool one_turn = begin.is_constant() && end.is_constant() && step.is_constant() &&
                        begin.constant() < end.constant() && end.constant() - begin.constant() <= step.constant();
  f.kind = f.node.kind = one_turn ? NodeKind::scope : NodeKind::loop;
  f.node.body = std::make_unique<Block>();
  f.block = f.node.body.get();
  if (!one_turn) {
    f.node.rs1 = materialise(begin);
    f.node.rs2 = materialise(end);
    const bool immediate = step.is_constant() && fits_immediate(step.constant());
    f.node.rs3 = immediate ? 0 : materialise(step);
    f.node.in[FieldId::imm] = immediate ? step.constant() : 0;
    f.node.runs = begin.is_constant() && end.is_constant() && begin.constant() < end.constant();
    f.node.rd = s.program.new_value({false, Opcode::nop, 0, 0, 0});
    f.node.serial = s.program.loops++;
  }
  const ValueId index = f.node.rd;
  s.frames.push_back(std::move(f));
  return one_turn ? begin : Scalar(*this, index);
}

void Recorder::end_loop(const Loc& loc) {
  State& s = *state_;
  Frame f = std::move(s.frames.back());
  if (f.kind != NodeKind::loop && f.kind != NodeKind::scope)
    error_at(loc, "HDL-SDK-09", "a scope opened inside a loop outlives it");
  for (Node& n : f.at_end) append(std::move(n));
  s.frames.pop_back();
  s.block().nodes.push_back(std::move(f.node));
  at(loc);
}

void Recorder::begin_if(const Cond& c, const Loc& loc) {
  at(loc);
  State& s = *state_;
  Frame f;
  f.kind = f.node.kind = NodeKind::branch;
  f.node.condition = c.kind;
  f.node.rs1 = materialise(c.a);
  f.node.rs2 = materialise(c.b);
  f.node.file = s.file;
  f.node.line = s.line;
  f.node.body = std::make_unique<Block>();
  f.node.other = std::make_unique<Block>();
  f.block = f.node.body.get();
  s.frames.push_back(std::move(f));
}

void Recorder::begin_else() {
  Frame& f = state_->frames.back();
  if (f.kind != NodeKind::branch) error("HDL-SDK-09", "a scope opened inside a branch outlives it");
  f.block = f.node.other.get();
}

void Recorder::end_if() {
  State& s = *state_;
  Frame f = std::move(s.frames.back());
  if (f.kind != NodeKind::branch) error("HDL-SDK-09", "a scope opened inside a branch outlives it");
  s.frames.pop_back();
  s.block().nodes.push_back(std::move(f.node));
}

void Recorder::fence(Loc loc) { emitter_.fence(loc); }

void Recorder::barrier(Loc loc) {
  fence(loc);
  meet(loc);
}

void Recorder::meet(Loc loc) {
  const SemRef arrive(barrier_arrive), go(barrier_go);
  const Scalar others = num_cores(loc) - 1;
  const Scalar chip = chip_id(loc);
  if_(
      core_id(loc) == 0,
      [&] {
        emitter_.sem_wait(arrive, 0, others, loc);
        loop(
            1, others + 1, 1, [&](Scalar core) { emitter_.sem_post_remote(go, 1, core, chip, 0, loc); }, loc);
      },
      [&] {
        emitter_.sem_post_remote(arrive, 1, 0, chip, 0, loc);
        emitter_.sem_wait(go, 1, 0, loc);
      },
      loc);
}

void Recorder::trap(int code, Loc loc) { emitter_.trap(code, loc); }

ScopeGuard Recorder::scope(std::string name, Loc loc) {
  at(loc);
  return open_scope(std::move(name), 0);
}

ScopeGuard Recorder::allow(std::string hazard, std::string reason, Loc loc) {
  at(loc);
  State& s = *state_;
  if (!isa::is_allowable(hazard))
    error("HDL-SDK-24", fmt::format("'{}' is no hazard that can be allowed; those are {}", hazard,
                                    fmt::join(isa::allowable_hazards, ", ")));
  if (!isa::is_reason(reason)) error("HDL-SDK-24", fmt::format("{} is allowed without a reason", hazard));
  s.program.allows.push_back({std::move(hazard), std::move(reason), 0, 0, s.file, s.line});
  return open_scope({}, static_cast<std::uint32_t>(s.program.allows.size() - 1));
}

ScopeGuard Recorder::open_scope(std::string name, std::uint32_t allow) {
  State& s = *state_;
  Frame f;
  f.kind = f.node.kind = NodeKind::scope;
  f.node.name = std::move(name);
  f.node.allow = allow;
  f.node.file = s.file;
  f.node.line = s.line;
  f.node.body = std::make_unique<Block>();
  f.block = f.node.body.get();
  s.frames.push_back(std::move(f));
  return {*this, false};
}

ScopeGuard Recorder::kernel(std::string name, Loc loc) {
  at(loc);
  State& s = *state_;
  Frame f;
  f.kind = f.node.kind = NodeKind::kernel;
  f.node.name = std::move(name);
  f.node.file = s.file;
  f.node.line = s.line;
  f.node.serial = static_cast<std::uint32_t>(s.program.kernels.size());
  f.node.body = std::make_unique<Block>();
  f.block = f.node.body.get();
  f.previous_kernel = s.kernel;
  KernelInfo info;
  info.parent = s.kernel;
  info.memory_top = s.memory_top;
  s.program.kernels.push_back(std::move(info));
  s.kernel = f.node.serial;
  s.frames.push_back(std::move(f));
  return {*this, true};
}

void Recorder::end_scope(bool kernel) noexcept {
  State& s = *state_;
  const NodeKind kind = kernel ? NodeKind::kernel : NodeKind::scope;
  // While an exception passes, loops and branches inside may be open still: what was recorded is not used then.
  while (s.frames.size() > 1 && s.frames.back().kind != kind) s.frames.pop_back();
  if (s.frames.size() <= 1) return;
  Frame f = std::move(s.frames.back());
  s.frames.pop_back();
  if (kernel) {
    const auto& own = s.program.kernels[f.node.serial].inner_top;
    auto& outer = s.program.kernels[f.previous_kernel].inner_top;
    for (std::size_t i = 0; i < outer.size(); ++i) outer[i] = std::max({outer[i], own[i], s.memory_top[i]});
    s.memory_top = s.program.kernels[f.node.serial].memory_top;
    s.kernel = f.previous_kernel;
  }
  s.block().nodes.push_back(std::move(f.node));
}

void Recorder::begin_entry(std::string name, const Loc& loc) {
  State& s = *state_;
  at(loc);
  if (s.entry_open) error("HDL-SDK-09", "an entry is recorded inside another");
  if (!s.frames.empty() && s.frames.size() != 1) error("HDL-SDK-09", "an entry begins inside a loop, branch or scope");
  s.outer_frames = std::move(s.frames);
  s.frames.clear();
  EntryInfo entry;
  entry.name = std::move(name);
  entry.body = std::make_unique<Block>();
  entry.kernel = static_cast<std::uint32_t>(s.program.kernels.size());
  s.program.kernels.emplace_back();
  s.kernel = entry.kernel;
  s.outer_memory_top = s.memory_top;
  s.memory_top = {0, 0, 0, smem_reserved_bytes};
  s.entry = s.program.entries.size();
  Frame f;
  f.kind = NodeKind::kernel;
  f.block = entry.body.get();
  s.program.entries.push_back(std::move(entry));
  s.frames.push_back(std::move(f));
  s.entry_open = true;
}

void Recorder::end_entry() {
  State& s = *state_;
  if (s.frames.size() != 1) error("HDL-SDK-09", "a scope opened inside an entry outlives it");
  s.frames = std::move(s.outer_frames);
  s.outer_frames.clear();
  s.memory_top = s.outer_memory_top;
  s.entry = 0;
  s.kernel = s.program.entries.front().kernel;
  s.entry_open = false;
}

}  // namespace heddle::sdk
