// SPDX-License-Identifier: Apache-2.0
// Which views an engine instruction reads and writes.
#pragma once
#include "isa/def/instructions.hpp"
#include "sim/exec/dims.hpp"
#include "sim/exec/engine_op.hpp"
#include "sim/exec/validate.hpp"

namespace heddle::inspect {

// Calls f(view, writes) for each operand of an instruction that computes. Of a gather's table and a scatter's
// destination it names the whole, not the rows that the index list chooses.
template <class F>
void each_operand(const exec::EngineOp& op, F&& f) {
  using isa::Opcode;
  if (op.op == Opcode::dma_sync || op.op == Opcode::mxu_sync || op.op == Opcode::vpu_sync || exec::is_empty(op)) return;
  if (op.has_bias) f(op.vb, false);
  if (op.has_row) f(op.vc, true);
  for (const isa::Field& field : isa::fields_of(isa::info(op.op).format)) {
    const bool writes = field.access == isa::Access::write || field.access == isa::Access::read_write;
    if (field.id == isa::FieldId::vd) f(op.vd, true);
    if (field.id == isa::FieldId::va) f(op.va, false);
    if (field.id == isa::FieldId::vb) f(op.vb, false);
    if (field.id == isa::FieldId::vc) f(op.vc, writes);
  }
}

// Whether the operand shares a byte with the view of core `core`. Both are not empty and lie inside their memory.
inline bool meet(const exec::EngineOp& op, const isa::View& operand, const isa::View& view, std::uint32_t core) {
  return exec::place_of(operand, op.chip, op.core) == exec::place_of(view, 0, core) &&
         exec::touch_common_byte(operand, view);
}

}  // namespace heddle::inspect
