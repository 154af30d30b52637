// SPDX-License-Identifier: Apache-2.0
// What a program prints. Nothing here touches the state that instructions see.
#include <algorithm>
#include <cstring>

#include "isa/base/error.hpp"
#include "sim/control/scalar_ops.hpp"
#include "sim/control/sequencer.hpp"

namespace heddle::control {

void Sequencer::show(std::int64_t cycle) {
  const Moment at{core_id_, chip_id_, pc_, cycle, sequence_, stream_, &program_->image()};
  if (prints_ != nullptr)
    for (const isa::PrintStep& step : program_->prints(pc_))
      if (comes_to(step)) take_step(step, at);
  if (watch_ != nullptr) watch_->reached(*this, at);
  came_by_jump_of_ = nowhere;
}

bool Sequencer::comes_to(const isa::PrintStep& step) const {
  if (step.anyhow) return true;
  if (came_by_jump_of_ == nowhere) return step.falls;
  return std::binary_search(step.jumps.begin(), step.jumps.end(), came_by_jump_of_);
}

std::int64_t Sequencer::print_value(isa::PrintValue value) const {
  return value < isa::first_print_register ? x_[value] : kept_[value - isa::first_print_register];
}

void Sequencer::take_step(const isa::PrintStep& step, const Moment& at) {
  switch (step.kind) {
    case isa::PrintStep::Kind::keep:
      kept_[step.target - isa::first_print_register] = keep(step);
      break;
    case isa::PrintStep::Kind::scalar:
      prints_->print_scalar(at, step, print_value(step.a));
      break;
    case isa::PrintStep::Kind::view_register:
      if (v_template_[step.view] == 0)
        prints_->print_nothing(at, step, fmt::format("no view was put into v{} before", step.view));
      else
        prints_->print_view(at, step, v_[step.view]);
      break;
    case isa::PrintStep::Kind::view:
      print_view(step, at);
      break;
  }
}

// What the instruction of that name would give; 0 where it would fail: a print ends no run.
std::int64_t Sequencer::keep(const isa::PrintStep& step) const {
  const std::int64_t a = print_value(step.a);
  switch (step.op) {
    case isa::Opcode::li:
      return step.imm;
    case isa::Opcode::csr_read:
      switch (static_cast<isa::Csr>(step.imm)) {
        case isa::Csr::core_id:
          return core_id_;
        case isa::Csr::num_cores:
          return spec_.cores;
        case isa::Csr::chip_id:
          return chip_id_;
        case isa::Csr::num_chips:
          return memory_.chips();
      }
      return 0;
    case isa::Opcode::ld: {
      std::int64_t value = 0;
      if (stream_ != nullptr) stream_->sync_smem(core_id_);
      if (u(step.imm) + sizeof(value) <= smem_.capacity) std::memcpy(&value, smem_.data + step.imm, sizeof(value));
      return value;
    }
    default: {
      const isa::Opcode op = register_form(step.op);
      const std::int64_t b = op == step.op ? print_value(step.b) : step.imm;
      return b == 0 && (op == isa::Opcode::div || op == isa::Opcode::rem) ? 0 : scalar_result(op, a, b);
    }
  }
}

void Sequencer::print_view(const isa::PrintStep& step, const Moment& at) {
  isa::View v;
  const isa::ViewTemplate& t = program_->image().templates[step.view];
  static_cast<isa::ViewShape&>(v) = t;
  v.base = t.base + u(print_value(step.a)) + u(step.imm);
  for (std::size_t d = 0; d < t.rank; ++d) {
    if (step.stride[d] != 0) v.stride[d] = print_value(step.stride[d]);
    if (step.size[d] == 0) continue;
    const std::int64_t size = print_value(step.size[d]);
    if (size < 0 || size > t.size[d])
      return prints_->print_nothing(
          at, step, fmt::format("size {} in dimension {}; its template holds 0 to {}", size, d, t.size[d]));
    v.size[d] = static_cast<std::uint32_t>(size);
  }
  if (step.remote) {
    const std::int64_t core = v.space == isa::Space::hbm ? 0 : print_value(step.core);
    const std::int64_t chip = print_value(step.chip);
    if (core < 0 || core >= spec_.cores || chip != 0)
      return prints_->print_nothing(at, step, fmt::format("core {} of chip {} does not exist", core, chip));
    v.remote = true;
    v.core = static_cast<std::uint32_t>(core);
  }
  prints_->print_view(at, step, v);
}

}  // namespace heddle::control
