// SPDX-License-Identifier: Apache-2.0
// How the VPU's values are walked: rows of the last dimension, several at a time where they are short, through buffers
// of fp32 (or int32 where every operand is an integer).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/exec/kernels.hpp"
#include "sim/exec/operand.hpp"

namespace heddle::exec {

inline constexpr std::size_t block_elements = 1024;  // of a buffer: a few of them stay in the host's L1

template <class T>
using Buffer = T[block_elements];

// A rectangle of the last two dimensions at offsets i0, i1 of the outer two.
struct Block {
  std::int64_t i0, i1;
  std::int64_t row, column;
  std::size_t rows, columns;
  bool last_columns;  // it ends its rows
  std::size_t elements() const { return rows * columns; }
};

inline std::int64_t offset_of(const Strides& s, const Block& b) {
  return b.i0 * s[0] + b.i1 * s[1] + b.row * s[2] + b.column * s[3];
}

// Calls f(block) over all of `size`, rows in order, each row's blocks from left to right. Blocks hold either whole rows
// or part of one; parts but the last are block_elements long, a multiple of 16.
template <class F>
void for_each_block(const Sizes& size, F&& f) {
  const std::size_t columns = std::min<std::size_t>(size[3], block_elements);
  const std::size_t rows = size[3] > block_elements ? 1 : std::max<std::size_t>(1, block_elements / columns);
  for (std::int64_t i0 = 0; i0 < size[0]; ++i0)
    for (std::int64_t i1 = 0; i1 < size[1]; ++i1)
      for (std::size_t r = 0; r < size[2]; r += rows)
        for (std::size_t c = 0; c < size[3]; c += columns)
          f(Block{i0, i1, static_cast<std::int64_t>(r), static_cast<std::int64_t>(c),
                  std::min<std::size_t>(rows, size[2] - r), std::min<std::size_t>(columns, size[3] - c),
                  c + columns >= size[3]});
}

// The block's elements, row after row. Strides are the loop nest's, which may differ from the operand's own.
template <class T>
void read_block(const Operand& o, const Strides& s, const Block& b, T* to) {
  const std::int64_t offset = offset_of(s, b);
  const auto columns = static_cast<std::int64_t>(b.columns);
  if (b.rows == 1) return read_run(o, offset, s[3], b.columns, to);
  if (s[2] == columns * s[3] && (o.element_bits != 4 || s[3] == 1)) return read_run(o, offset, s[3], b.elements(), to);
  if (s[2] == 0) {  // one row for all
    read_run(o, offset, s[3], b.columns, to);
    for (std::size_t r = 1; r < b.rows; ++r) std::copy_n(to, b.columns, to + r * b.columns);
    return;
  }
  if (b.columns == 1 && o.element_bits != 4) return read_run(o, offset, s[2], b.rows, to);
  if (s[3] == 0) {  // one element a row: read them as a column, then spread each
    T* column = to + b.elements() - b.rows;
    read_run(o, offset, s[2], b.rows, column);
    kernels().spread(reinterpret_cast<const std::uint32_t*>(column), reinterpret_cast<std::uint32_t*>(to), b.rows,
                     b.columns);
    return;
  }
  for (std::size_t r = 0; r < b.rows; ++r)
    read_run(o, offset + static_cast<std::int64_t>(r) * s[2], s[3], b.columns, to + r * b.columns);
}

template <class T>
void write_block(const Operand& o, const Strides& s, const Block& b, const T* from) {
  const std::int64_t offset = offset_of(s, b);
  const auto columns = static_cast<std::int64_t>(b.columns);
  if (b.rows == 1) return write_run(o, offset, s[3], b.columns, from);
  if (s[2] == columns * s[3] && (o.element_bits != 4 || s[3] == 1))
    return write_run(o, offset, s[3], b.elements(), from);
  if (b.columns == 1 && o.element_bits != 4) return write_run(o, offset, s[2], b.rows, from);
  for (std::size_t r = 0; r < b.rows; ++r)
    write_run(o, offset + static_cast<std::int64_t>(r) * s[2], s[3], b.columns, from + r * b.columns);
}

void execute_reduction(const EngineOp& op, const MachineMemory& memory);
void execute_topk(const EngineOp& op, const MachineMemory& memory);

}  // namespace heddle::exec
