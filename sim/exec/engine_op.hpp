// SPDX-License-Identifier: Apache-2.0
// An engine instruction as it stands in a queue: decoded, with its view and scalar registers captured at issue.
#pragma once
#include <array>
#include <cstdint>

#include "isa/base/strong.hpp"
#include "isa/def/instructions.hpp"
#include "isa/image/view.hpp"

namespace heddle::exec {

struct SemCount {
  std::uint8_t sem = 0;
  std::uint8_t count = 0;  // 0: absent
};

struct EngineOp {
  isa::Opcode op = isa::Opcode::dma_sync;
  isa::Unit unit = isa::Unit::dma;
  std::uint8_t engine = 0;   // which of the core's engines of that unit
  bool transposed = false;   // mxu.load
  bool accumulate = false;   // mxu.matmul
  bool remote_post = false;  // post[1] goes to vd's core
  bool fresh = false;        // an operand's tile slot becomes empty first (isa::TileUse)
  bool has_bias = false;     // vpu.fused: vb is the bias
  bool has_row = false;      // vpu.fused: vc is the row result
  isa::VpuFn fn{};
  isa::RowReduce reduce{};
  std::int8_t coef_i = 0;
  std::int8_t coef_j = 0;
  std::array<SemCount, 2> wait{};
  std::array<SemCount, 2> post{};
  std::uint32_t scalar = 0;    // 32 raw bits: .x/.i operand, fused scale, fill value, affine_select fill
  std::int64_t offset = 0;     // affine_select rs1; iota start
  std::int64_t step = 0;       // iota
  std::uint32_t core = 0;      // the issuing core, of
  std::uint32_t chip = 0;      // the issuing chip
  std::uint32_t pc = 0;        // instruction index in the image
  std::uint64_t sequence = 0;  // issue number on this core, from 0 each launch
  isa::View vd, va, vb, vc;    // as the format names them; gather/scatter: vb is the index list; topk: vc the indices

  const isa::View& view(isa::ViewOperand operand) const {
    const isa::View* all[] = {&vd, &va, &vb, &vc};
    return *all[static_cast<std::size_t>(operand)];
  }
};

}  // namespace heddle::exec
