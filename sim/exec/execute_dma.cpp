// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/base/error.hpp"
#include "sim/exec/engine_values.hpp"
#include "sim/exec/kernels.hpp"
#include "sim/exec/operand.hpp"

namespace heddle::exec {
namespace {

using isa::Opcode;
using Nest = LoopNest<2>;  // 0: destination, 1: source

constexpr std::uint8_t low_nibble(std::uint8_t keep_high, std::uint8_t low) {
  return static_cast<std::uint8_t>((keep_high & 0xf0) | (low & 0x0f));
}

// n neighbouring elements; int4 runs begin at a byte on both sides.
void copy_run(const Operand& to, std::int64_t to_offset, const Operand& from, std::int64_t from_offset,
              std::int64_t n) {
  std::uint8_t* d = to.at(to_offset);
  const std::uint8_t* s = from.at(from_offset);
  const std::int64_t bytes = n * to.element_bits / 8;
  std::memcpy(d, s, static_cast<std::size_t>(bytes));
  if (to.element_bits == 4 && n % 2 != 0) d[bytes] = low_nibble(d[bytes], s[bytes]);
}

template <class T>
void copy_strided(std::uint8_t* to, std::int64_t to_stride, const std::uint8_t* from, std::int64_t from_stride,
                  std::int64_t n) {
  auto* d = reinterpret_cast<T*>(to);
  const auto* s = reinterpret_cast<const T*>(from);
  for (std::int64_t i = 0; i < n; ++i) d[i * to_stride] = s[i * from_stride];
}

// int4 more than one apart: each in the low nibble of its own byte.
void copy_nibbles(std::uint8_t* to, std::int64_t to_stride, const std::uint8_t* from, std::int64_t from_stride,
                  std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint8_t& b = to[i * to_stride / 2];
    b = low_nibble(b, from[i * from_stride / 2]);
  }
}

// Copies over a nest; the offsets (in elements) shift all of it.
void copy_nest(const Operand& to, std::int64_t to_offset, const Operand& from, std::int64_t from_offset,
               const Nest& nest) {
  const Strides& d = nest.stride[0];
  const Strides& s = nest.stride[1];
  const std::int64_t n = nest.size[3];
  for (std::int64_t i0 = 0; i0 < nest.size[0]; ++i0)
    for (std::int64_t i1 = 0; i1 < nest.size[1]; ++i1)
      for (std::int64_t i2 = 0; i2 < nest.size[2]; ++i2) {
        const std::int64_t td = to_offset + i0 * d[0] + i1 * d[1] + i2 * d[2];
        const std::int64_t ts = from_offset + i0 * s[0] + i1 * s[1] + i2 * s[2];
        if (n == 1 || (d[3] == 1 && s[3] == 1))
          copy_run(to, td, from, ts, n);
        else if (to.element_bits == 32)
          copy_strided<std::uint32_t>(to.at(td), d[3], from.at(ts), s[3], n);
        else if (to.element_bits == 16)
          copy_strided<std::uint16_t>(to.at(td), d[3], from.at(ts), s[3], n);
        else if (to.element_bits == 4)
          copy_nibbles(to.at(td), d[3], from.at(ts), s[3], n);
        else
          copy_strided<std::uint8_t>(to.at(td), d[3], from.at(ts), s[3], n);
      }
}

void copy(const Operand& to, const Operand& from) {
  require_all_written(from);
  Nest nest{to.size, {to.stride, from.stride}};
  nest.collapse();
  copy_nest(to, 0, from, 0, nest);
  mark_all_written(to);
}

void transpose_nibbles(const Operand& to, const Operand& from) {
  const auto get = [&](std::int64_t e) { return (*from.at(e & ~std::int64_t{1}) >> ((e & 1) * 4)) & 15; };
  for (std::int64_t i0 = 0; i0 < to.size[0]; ++i0)
    for (std::int64_t i1 = 0; i1 < to.size[1]; ++i1)
      for (std::int64_t j = 0; j < to.size[2]; ++j)
        for (std::int64_t i = 0; i < to.size[3]; ++i) {
          const int value = get(i0 * from.stride[0] + i1 * from.stride[1] + i * from.stride[2] + j);
          const std::int64_t e = i0 * to.stride[0] + i1 * to.stride[1] + j * to.stride[2] + i;
          std::uint8_t& b = *to.at(e & ~std::int64_t{1});
          b = static_cast<std::uint8_t>((e & 1) == 0 ? (b & 0xf0) | value : (b & 0x0f) | (value << 4));
        }
}

void transpose(const Operand& to, const Operand& from) {
  require_all_written(from);
  if (to.element_bits == 4) {
    transpose_nibbles(to, from);
  } else if (to.stride[3] == 1 && from.stride[3] == 1) {
    for (std::int64_t i0 = 0; i0 < to.size[0]; ++i0)
      for (std::int64_t i1 = 0; i1 < to.size[1]; ++i1)
        kernels().transpose(static_cast<std::size_t>(to.element_bytes()),
                            from.at(i0 * from.stride[0] + i1 * from.stride[1]), from.stride[2] * from.element_bytes(),
                            to.at(i0 * to.stride[0] + i1 * to.stride[1]), to.stride[2] * to.element_bytes(),
                            from.size[2], from.size[3]);
  } else {
    Strides swapped = from.stride;
    std::swap(swapped[2], swapped[3]);
    copy_nest(to, 0, from, 0, Nest{to.size, {to.stride, swapped}});
  }
  mark_all_written(to);
}

// rows: the operand whose first dimension the list counts; table: the one that it points into.
void gather_or_scatter(const EngineOp& op, const MachineMemory& memory) {
  const bool gather = op.op == Opcode::dma_gather;
  const Operand to(op.vd, op, memory);
  const Operand from(op.va, op, memory);
  const Operand index(op.vb, op, memory);
  const auto row_dim = static_cast<std::size_t>(4 - op.vd.rank);
  const Operand& table = gather ? from : to;
  const auto rows = static_cast<std::int64_t>(op.vb.size[0]);
  const std::int64_t limit = table.size[row_dim];
  require_all_written(index);

  // One row as a nest of its own; the row dimension is stepped by hand.
  Operand one_to = to;
  Operand one_from = from;
  one_to.size[row_dim] = one_from.size[row_dim] = 1;
  Nest nest{one_to.size, {one_to.stride, one_from.stride}};
  nest.collapse();
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int32_t at = 0;
    std::memcpy(&at, index.at(i * index.stride[3]), sizeof(at));
    if (at < 0 || at >= limit)
      fail(ErrorKind::program, "HDL-EXEC-06", "index {} (number {} of the list) is outside 0 to {}", at, i, limit - 1);
    const std::int64_t to_offset = (gather ? i : at) * to.stride[row_dim];
    const std::int64_t from_offset = (gather ? at : i) * from.stride[row_dim];
    one_to.base = to.byte(to_offset);
    one_from.base = from.byte(from_offset);
    require_all_written(one_from);
    copy_nest(one_to, 0, one_from, 0, nest);
    mark_all_written(one_to);
  }
}

void fill(const EngineOp& op, const Operand& to) {
  // One element's bytes, repeated in a buffer that runs copy from; int4 as a byte of two.
  alignas(64) std::uint8_t pattern[1024];
  std::uint8_t element[4] = {};
  if (is_float(to.dtype)) {
    const float value = std::bit_cast<float>(op.scalar);
    kernels().narrow(to.dtype, &value, element, 1);
  } else {
    std::memcpy(element, &op.scalar, 4);
    if (to.dtype == DType::int4) element[0] = static_cast<std::uint8_t>((element[0] & 15) * 17);
  }
  const auto width = static_cast<std::size_t>(to.element_bytes());
  for (std::size_t i = 0; i < sizeof(pattern); ++i) pattern[i] = element[i % width];

  LoopNest<1> nest{to.size, {to.stride}};
  nest.collapse();
  const Strides& s = nest.stride[0];
  const std::int64_t n = nest.size[3];
  for (std::int64_t i0 = 0; i0 < nest.size[0]; ++i0)
    for (std::int64_t i1 = 0; i1 < nest.size[1]; ++i1)
      for (std::int64_t i2 = 0; i2 < nest.size[2]; ++i2) {
        const std::int64_t offset = i0 * s[0] + i1 * s[1] + i2 * s[2];
        if (n != 1 && s[3] != 1) {
          for (std::int64_t i = 0; i < n; ++i) {
            std::uint8_t* d = to.at(offset + i * s[3]);
            if (to.element_bits == 4)
              *d = low_nibble(*d, element[0]);
            else
              std::memcpy(d, element, width);
          }
          continue;
        }
        std::uint8_t* d = to.at(offset);
        const std::int64_t bytes = n * to.element_bits / 8;
        for (std::int64_t done = 0; done < bytes; done += static_cast<std::int64_t>(sizeof(pattern)))
          std::memcpy(d + done, pattern,
                      std::min<std::size_t>(sizeof(pattern), static_cast<std::size_t>(bytes - done)));
        if (to.element_bits == 4 && n % 2 != 0) d[bytes] = low_nibble(d[bytes], element[0]);
      }
  mark_all_written(to);
}

}  // namespace

void execute_dma(const EngineOp& op, MachineMemory& memory) {
  switch (op.op) {
    case Opcode::dma_copy:
      return copy(Operand(op.vd, op, memory), Operand(op.va, op, memory));
    case Opcode::dma_transpose:
      return transpose(Operand(op.vd, op, memory), Operand(op.va, op, memory));
    case Opcode::dma_fill:
      return fill(op, Operand(op.vd, op, memory));
    case Opcode::dma_gather:
    case Opcode::dma_scatter:
      return gather_or_scatter(op, memory);
    default:
      fail(ErrorKind::internal, "HDL-INT-01", "the DMA has no values for opcode {:#04x}",
           static_cast<std::uint8_t>(op.op));
  }
}

}  // namespace heddle::exec
