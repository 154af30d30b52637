// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "isa/base/error.hpp"
#include "sim/exec/engine_values.hpp"
#include "sim/exec/kernels.hpp"
#include "sim/exec/operand.hpp"

namespace heddle::exec {
namespace {

constexpr std::size_t padding = 16;    // columns of a tile's row are readable up to a multiple of this
constexpr std::size_t row_block = 96;  // rows of A widened at a time: 96 x 256 fp32 stay in the host's L2

DType stored_as(DType t) {
  if (t == DType::bf16) return DType::bf16;
  return is_float(t) ? DType::fp32 : DType::int8;
}

// Rows of `from` as dense rows of the stored dtype, `row_bytes` apart.
void pack_rows(const Operand& from, DType stored, std::uint8_t* to, std::size_t row_bytes) {
  const std::int64_t rows = from.size[2];
  const std::size_t n = from.size[3];
  for (std::int64_t r = 0; r < rows; ++r, to += row_bytes) {
    const std::int64_t offset = r * from.stride[2];
    const bool dense = from.stride[3] == 1 || n == 1;
    if (stored == DType::fp32) {
      read_run(from, offset, from.stride[3], n, reinterpret_cast<float*>(to));
    } else if (from.element_bits == 4) {
      kernels().unpack_int4(from.at(offset), reinterpret_cast<std::int8_t*>(to), n);
    } else if (dense) {
      std::memcpy(to, from.at(offset), n * static_cast<std::size_t>(from.element_bytes()));
    } else {
      const auto width = static_cast<std::size_t>(from.element_bytes());
      for (std::size_t i = 0; i < n; ++i)
        std::memcpy(to + i * width, from.at(offset + static_cast<std::int64_t>(i) * from.stride[3]), width);
    }
  }
}

}  // namespace

void MxuValues::load(const EngineOp& op, MachineMemory& memory, RestingTile& tile) {
  const Operand from(op.va, op, memory);
  require_all_written(from);
  tile.loaded = true;
  tile.dtype = from.dtype;
  tile.stored = stored_as(from.dtype);
  tile.k = op.transposed ? from.size[3] : from.size[2];
  tile.n = op.transposed ? from.size[2] : from.size[3];
  tile.row_elements = (tile.n + padding - 1) / padding * padding;
  const auto width = static_cast<std::size_t>(bits(tile.stored) / 8);
  const std::size_t bytes = tile.row_elements * tile.k * width;
  if (tile.storage.size() * 4 < bytes) tile.storage.resize((bytes + 3) / 4);

  const std::size_t row_bytes = tile.row_elements * width;
  if (!op.transposed) {
    const bool as_is = tile.stored == from.dtype && tile.row_elements == tile.n;
    if (as_is && from.stride[3] == 1 && (tile.k == 1 || from.stride[2] == static_cast<std::int64_t>(tile.n)))
      std::memcpy(tile.data(), from.at(0), bytes);
    else
      pack_rows(from, tile.stored, tile.data(), row_bytes);
    return;
  }
  const auto turn = [&](const std::uint8_t* rows, std::int64_t row_step) {
    kernels().transpose(width, rows, row_step, tile.data(), static_cast<std::int64_t>(row_bytes), tile.n, tile.k);
  };
  if (tile.stored == from.dtype && (from.stride[3] == 1 || tile.k == 1)) {
    turn(from.at(0), from.stride[2] * from.element_bytes());
  } else {
    const std::size_t dense = tile.k * width;
    rows_.resize((dense * tile.n + 3) / 4);
    auto* rows = reinterpret_cast<std::uint8_t*>(rows_.data());
    pack_rows(from, tile.stored, rows, dense);
    turn(rows, static_cast<std::int64_t>(dense));
  }
}

template <class Element>
void MxuValues::stream(const EngineOp& op, MachineMemory& memory, RestingTile& tile) {
  const Operand to(op.vd, op, memory);
  const Operand from(op.va, op, memory);
  require_all_written(from);
  if (op.accumulate) require_all_written(to);
  const std::size_t m = to.size[2];
  const std::size_t n = to.size[3];
  const std::size_t k = from.size[3];
  const bool direct_a = from.dtype == DType::fp32 && from.stride[3] == 1 && from.stride[2] >= 0;
  const bool direct_c = (to.stride[3] == 1 || n == 1) && (to.stride[2] >= 0 || m == 1);

  MatmulArgs g;
  g.w = tile.data();
  g.k = k;
  g.n = n;
  g.ldw = tile.row_elements;
  g.accumulate = op.accumulate;
  auto* kernel = tile.stored == DType::bf16   ? kernels().matmul_bf16
                 : tile.stored == DType::fp32 ? kernels().matmul_fp32
                                              : kernels().matmul_int8;
  for (std::size_t row = 0; row < m; row += row_block) {
    g.m = std::min(row_block, m - row);
    const auto first = static_cast<std::int64_t>(row);
    if (direct_a) {
      g.a = from.at(first * from.stride[2]);
      g.lda = static_cast<std::size_t>(from.stride[2]);
    } else {
      rows_.resize(std::max(rows_.size(), g.m * k));
      auto* a = reinterpret_cast<Element*>(rows_.data());
      if (from.stride[3] == 1 && from.stride[2] == static_cast<std::int64_t>(k) && from.element_bits != 4)
        read_run(from, first * from.stride[2], 1, g.m * k, a);
      else
        for (std::size_t i = 0; i < g.m; ++i)
          read_run(from, (first + static_cast<std::int64_t>(i)) * from.stride[2], from.stride[3], k, a + i * k);
      g.a = a;
      g.lda = k;
    }
    if (direct_c) {
      g.c = to.at(first * to.stride[2]);
      g.ldc = m == 1 ? n : static_cast<std::size_t>(to.stride[2]);
      kernel(g);
      continue;
    }
    result_.resize(std::max(result_.size(), g.m * n));
    auto* c = reinterpret_cast<Element*>(result_.data());
    const auto row_offset = [&](std::size_t i) { return (first + static_cast<std::int64_t>(i)) * to.stride[2]; };
    if (op.accumulate)
      for (std::size_t i = 0; i < g.m; ++i) read_run(to, row_offset(i), to.stride[3], n, c + i * n);
    g.c = c;
    g.ldc = n;
    kernel(g);
    for (std::size_t i = 0; i < g.m; ++i) write_run(to, row_offset(i), to.stride[3], n, c + i * n);
  }
  mark_all_written(to);
}

void require_matching_tile(const EngineOp& op, const RestingTile& tile) {
  const Dims to(op.vd);
  const Dims from(op.va);
  if (!tile.loaded) fail(ErrorKind::program, "HDL-EXEC-07", "no tile has been loaded into this MXU");
  if (tile.dtype != op.va.dtype || tile.k != from.size[3] || tile.n != to.size[3])
    fail(ErrorKind::program, "HDL-EXEC-07", "needs a tile of {} [{}, {}], the one loaded is {} [{}, {}]",
         name(op.va.dtype), from.size[3], to.size[3], name(tile.dtype), tile.k, tile.n);
}

void MxuValues::matmul(const EngineOp& op, MachineMemory& memory, RestingTile& tile) {
  require_matching_tile(op, tile);
  if (is_float(tile.dtype))
    stream<float>(op, memory, tile);
  else
    stream<std::int32_t>(op, memory, tile);
}

}  // namespace heddle::exec
