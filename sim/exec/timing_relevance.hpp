// SPDX-License-Identifier: Apache-2.0
// Which values control or addresses may depend on: the only ones computed in timing mode.
#pragma once
#include "isa/def/instructions.hpp"
#include "sim/exec/engine_op.hpp"

namespace heddle::exec {

// True for whatever writes SMEM and for DMA of int32 data (index lists, page tables, token ids). All else (weights,
// activations) may be left out without changing a cycle, unless a program computes an address from it.
inline bool needed_in_timing_mode(const EngineOp& op) {
  using isa::Opcode;
  if (op.unit == isa::Unit::mxu || op.op == Opcode::dma_sync || op.op == Opcode::vpu_sync) return false;
  if (op.vd.space == isa::Space::smem) return true;
  if (op.unit == isa::Unit::dma) return op.vd.dtype == DType::int32;
  const bool writes_vc = op.op == Opcode::vpu_topk || (op.op == Opcode::vpu_fused && op.has_row);
  return writes_vc && op.vc.space == isa::Space::smem;
}

}  // namespace heddle::exec
