// SPDX-License-Identifier: Apache-2.0
// View registers, and the engine instructions that carry them away.
#include "isa/base/error.hpp"
#include "sim/control/scalar_ops.hpp"
#include "sim/control/sequencer.hpp"

namespace heddle::control {
namespace {

using isa::Opcode;

}  // namespace

const isa::View& Sequencer::view(std::uint8_t number) const {
  if (v_template_[number] == 0)
    fail(ErrorKind::program, "HDL-EXEC-03", "view register v{} is used before any view was put there", number);
  return v_[number];
}

std::uint32_t Sequencer::checked_size(const isa::ViewTemplate& t, std::size_t dim, std::int64_t size) const {
  if (dim >= t.rank) fail(ErrorKind::program, "HDL-EXEC-03", "dimension {} of a view of rank {}", dim, t.rank);
  if (size < 0 || size > t.size[dim])
    fail(ErrorKind::program, "HDL-EXEC-05", "size {} in dimension {}; its template holds 0 to {}", size, dim,
         t.size[dim]);
  return static_cast<std::uint32_t>(size);
}

void Sequencer::build_view(const Micro& m) {
  const isa::ViewTemplate& t = program_->image().templates[m.view_template];
  isa::View& v = v_[m.vd];
  static_cast<isa::ViewShape&>(v) = t;
  v.remote = false;
  v.base = t.base + u(x_[m.rs1]) + u(m.imm);
  if (m.size0 != 0) v.size[m.dim0] = checked_size(t, m.dim0, x_[m.size0]);
  if (m.size1 != 0) v.size[m.dim1] = checked_size(t, m.dim1, x_[m.size1]);
  v_template_[m.vd] = m.view_template + 1u;
}

void Sequencer::check_core(std::int64_t core, std::int64_t chip) const {
  if (core < 0 || core >= spec_.cores || chip != 0)
    fail(ErrorKind::program, "HDL-EXEC-10", "core {} of chip {}; the machine has {} cores and chip 0", core, chip,
         spec_.cores);
}

void Sequencer::change_view(const Micro& m) {
  view(m.vd);
  isa::View& v = v_[m.vd];
  switch (m.op) {
    case Opcode::view_size:
      v.size[m.dim0] = checked_size(program_->image().templates[v_template_[m.vd] - 1u], m.dim0, x_[m.rs1]);
      break;
    case Opcode::view_stride:
      if (m.dim0 >= v.rank)
        fail(ErrorKind::program, "HDL-EXEC-03", "dimension {} of a view of rank {}", m.dim0, v.rank);
      v.stride[m.dim0] = x_[m.rs1];
      break;
    case Opcode::view_advance:
      v.base += u(x_[m.rs1]) + u(m.imm);
      break;
    default:  // view.remote
      check_core(v.space == isa::Space::hbm ? 0 : x_[m.rs1], x_[m.rs2]);
      v.remote = true;
      v.core = static_cast<std::uint32_t>(v.space == isa::Space::hbm ? 0 : x_[m.rs1]);
      v.chip = static_cast<std::uint32_t>(x_[m.rs2]);
      break;
  }
}

void Sequencer::fill_op(const Micro& m, std::uint32_t pc) {
  const isa::InstructionInfo& row = isa::info(m.op);
  exec::EngineOp& op = op_;
  op.op = m.op;
  op.unit = row.unit;
  op.engine = m.engine;
  op.transposed = (m.flags & flag_transposed) != 0;
  op.accumulate = (m.flags & flag_accumulate) != 0;
  op.remote_post = (m.flags & flag_remote_post) != 0;
  op.fresh = (m.flags & flag_fresh) != 0;
  op.has_bias = m.op == Opcode::vpu_fused && (m.uses & uses_vb) != 0;
  op.has_row = m.op == Opcode::vpu_fused && (m.uses & uses_vc) != 0;
  op.fn = static_cast<isa::VpuFn>(m.fn);
  op.reduce = static_cast<isa::RowReduce>(m.reduce);
  op.coef_i = m.coef_i;
  op.coef_j = m.coef_j;
  op.wait = {{{m.wait0, m.wait0_n}, {m.wait1, m.wait1_n}}};
  op.post = {{{m.post0, m.post0_n}, {m.post1, m.post1_n}}};
  // .x operands and the fused scale come from a register; x0 there means the immediate (0 for a .x operand).
  const bool from_register = m.rs1 != 0 && m.op != Opcode::vpu_affine_select && m.op != Opcode::vpu_iota;
  op.scalar = from_register ? static_cast<std::uint32_t>(x_[m.rs1]) : m.scalar;
  op.offset = x_[m.rs1];
  op.step = m.imm;
  op.core = core_id_;
  op.chip = chip_id_;
  op.pc = pc;
  op.sequence = sequence_++;
  static const isa::View absent{};
  op.vd = (m.uses & uses_vd) != 0 ? view(m.vd) : absent;
  op.va = (m.uses & uses_va) != 0 ? view(m.va) : absent;
  op.vb = (m.uses & uses_vb) != 0 ? view(m.vb) : absent;
  op.vc = (m.uses & uses_vc) != 0 ? view(m.vc) : absent;
  exec::validate(op, spec_);
  if (op.unit == isa::Unit::mxu) tiles_[op.engine].follow(op);
}

}  // namespace heddle::control
