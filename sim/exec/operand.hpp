// SPDX-License-Identifier: Apache-2.0
// A view made ready for execution: host memory, shadow, sizes and strides of four dimensions; and runs of its elements
// in and out of buffers. Bounds have been checked (validate.hpp); whether bytes were written is checked here.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/exec/dims.hpp"
#include "sim/exec/engine_op.hpp"
#include "sim/exec/machine_memory.hpp"

namespace heddle::exec {

using Sizes = std::array<std::uint32_t, 4>;
using Strides = std::array<std::int64_t, 4>;

struct Operand {
  Region region;
  isa::Space space = isa::Space::hbm;
  DType dtype = DType::fp32;
  std::int64_t element_bits = 32;
  std::int64_t base = 0;  // byte
  Sizes size{};
  Strides stride{};  // elements

  Operand() = default;
  Operand(const isa::View& view, const EngineOp& op, const MachineMemory& memory);

  // Byte of element `offset` (in elements from the base); int4: offset is even (see validate.hpp).
  std::int64_t byte(std::int64_t offset) const { return base + offset * element_bits / 8; }
  std::uint8_t* at(std::int64_t offset) const { return region.data + byte(offset); }
  std::int64_t element_bytes() const { return element_bits < 8 ? 1 : element_bits / 8; }  // that hold one element

  // Sizes of 1 become the destination's, with stride 0.
  void repeat_to(const Sizes& to);
};

// Throws HDL-EXEC-02 when one of n elements from offset on, `stride` apart, was never written.
void require_written(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n);
void mark_written(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n);
// The same for all elements.
void require_all_written(const Operand& o);
void mark_all_written(const Operand& o);

// n elements, `stride` apart, to and from fp32 or int32 (the latter for integer dtypes; writing saturates).
void read_run(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, float* to);
void read_run(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, std::int32_t* to);
void write_run(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, const float* from);
void write_run(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, const std::int32_t* from);

// A loop nest over the same sizes for N operands. collapse() joins neighbouring dimensions that are one long run in
// every operand; dimensions from `first_kept` on stay as they are.
template <std::size_t N>
struct LoopNest {
  Sizes size{};
  std::array<Strides, N> stride{};

  void collapse(std::size_t first_kept = 4) {
    std::size_t top = first_kept;  // outermost dimension made so far
    for (std::size_t d = first_kept; d-- > 0;) {
      if (size[d] == 1) continue;
      if (top != first_kept && joins(d, top)) {
        size[top] *= size[d];
        continue;
      }
      --top;
      size[top] = size[d];
      for (Strides& s : stride) s[top] = s[d];
    }
    for (std::size_t d = 0; d < top; ++d) {
      size[d] = 1;
      for (Strides& s : stride) s[d] = 0;
    }
  }

 private:
  bool joins(std::size_t outer, std::size_t inner) const {
    if (static_cast<std::uint64_t>(size[outer]) * size[inner] > 0xffff'ffffull) return false;
    for (const Strides& s : stride)
      if (s[outer] != s[inner] * size[inner]) return false;
    return true;
  }
};

}  // namespace heddle::exec
