// SPDX-License-Identifier: Apache-2.0
// The rules that an engine instruction must keep before its values are looked at: shapes, spaces, dtypes, bounds,
// alignment, overlap (docs/isa/semantics.md). Runs once for every instruction issued.
#pragma once
#include <cstdint>

#include "isa/base/error.hpp"
#include "isa/image/image.hpp"
#include "sim/config/chip_spec.hpp"
#include "sim/exec/engine_op.hpp"

namespace heddle::exec {

// Throws Error of kind program: HDL-EXEC-01 bounds, -03 shapes and dtypes, -04 space, -05 alignment and overlap, -07 a
// tile larger than the array, -10 an engine, core or chip that does not exist. The message has no place: see locate().
// kind unsupported, HDL-EXEC-11: an MXU dtype for which the chip gives no rate.
void validate(const EngineOp& op, const config::ChipSpec& chip);

// Some operand has a size of 0: the instruction only waits and posts.
bool is_empty(const EngineOp& op);

// The shape of the tile that rests in an MXU, as far as issued instructions say: HDL-EXEC-07 for a matmul that does not
// fit it. One per MXU and core, fed in queue order; a launch starts with none.
struct StationaryShape {
  bool loaded = false;
  DType dtype = DType::fp32;
  std::uint32_t k = 0;
  std::uint32_t n = 0;

  void follow(const EngineOp& op);
};

// The same error with its place in front: source line where the image knows it, mnemonic, instruction, core and, when
// cycle >= 0, the cycle. An error that has a place already comes back unchanged.
Error locate(const Error& error, const isa::ProgramImage& image, std::uint32_t chip, std::uint32_t core,
             std::uint32_t pc, std::int64_t cycle = -1);

}  // namespace heddle::exec
