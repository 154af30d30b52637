// SPDX-License-Identifier: Apache-2.0
// What the RTL is told of an instruction, and the rows it will ask for.
#include <algorithm>

#include "sim/exec/operand.hpp"
#include "sim/exec/validate.hpp"
#include "sim/rtl/rtl_mxu.hpp"

namespace heddle::rtl {
namespace {

// Cycles a row takes at this rate, which the chip was checked to have as 1/n.
std::uint16_t beats_of(const config::Ratio& rate) { return static_cast<std::uint16_t>(rate.den / rate.num); }

}  // namespace

Instruction RtlMxu::instruction_of(const exec::EngineOp& op) const {
  Instruction i;
  const bool empty = exec::is_empty(op);
  i.integer = !is_float(op.va.dtype);
  if (op.op == isa::Opcode::mxu_load) {
    i.operation = Operation::load;
    i.transposed = op.transposed;
    i.rows = empty ? 0 : op.va.size[0];
    i.beats = beats_of(spec_.load_rows_per_cycle);
    return i;
  }
  i.operation = Operation::matmul;
  i.accumulate = op.accumulate;
  i.rows = empty ? 0 : op.va.size[0];
  i.k = static_cast<std::uint16_t>(op.va.size[1]);
  i.beats = beats_of(spec_.rate_of(op.va.dtype));
  return i;
}

// The rows (or columns) of a view, `lanes` words each, zeros where the view has no element.
std::vector<std::uint32_t> RtlMxu::read_rows(const isa::View& view, const exec::EngineOp& op, bool columns) const {
  const exec::Operand from(view, op, context_.memory);
  exec::require_all_written(from);
  const Geometry& g = rtl_->geometry();
  const std::uint32_t rows = from.size[2];
  const std::uint32_t n = from.size[3];
  const auto lanes = static_cast<std::size_t>(std::max(g.rows, g.cols));
  std::vector<std::uint32_t> element(n);
  std::vector<std::uint32_t> out((columns ? n : rows) * lanes, 0);
  for (std::uint32_t r = 0; r < rows; ++r) {
    const std::int64_t offset = static_cast<std::int64_t>(r) * from.stride[2];
    if (is_float(from.dtype)) {
      exec::read_run(from, offset, from.stride[3], n, reinterpret_cast<float*>(element.data()));
      for (std::uint32_t& e : element) e >>= 23 - g.mantissa;  // exact: the chip's dtypes were checked to fit
    } else {
      exec::read_run(from, offset, from.stride[3], n, reinterpret_cast<std::int32_t*>(element.data()));
      for (std::uint32_t& e : element) e &= 0xff;
    }
    for (std::uint32_t c = 0; c < n; ++c) out[columns ? c * lanes + r : r * lanes + c] = element[c];
  }
  return out;
}

void RtlMxu::read_load(Work& work) {
  const exec::EngineOp& op = work.op;
  tile_.loaded = true;
  tile_.dtype = op.va.dtype;
  tile_.k = op.va.size[op.transposed ? 1 : 0];
  tile_.n = op.va.size[op.transposed ? 0 : 1];
  if (rtl_->geometry().output_stationary) {
    b_ = read_rows(op.va, op, op.transposed);
    return;  // it only names the tile
  }
  work.lanes = read_rows(op.va, op, false);
  work.count = op.va.size[0];
  work.width = work.lanes.size() / work.count;
  const compute::SpmAccess access = compute::spm_access(spm_, op.va);
  const std::int64_t least = std::max<std::int64_t>(work.count * beats_of(spec_.load_rows_per_cycle), access.cycles);
  work.pace = context_.spm.reserve(id(), access.words, least, cycle_, context_.period);
  const TimeFs ready = cycle_ + context_.cycles(work.pace);
  stats_.loading += std::max(TimeFs{}, ready - std::max(cycle_, stream_free_));
  add_busy(cycle_, ready);
}

void RtlMxu::read_matmul(Work& work) {
  const exec::EngineOp& op = work.op;
  exec::require_matching_tile(op, tile_);
  const Geometry& g = rtl_->geometry();
  const std::uint32_t m = op.va.size[0];
  const std::uint32_t k = op.va.size[1];
  stats_.macs += static_cast<std::uint64_t>(m) * k * op.vd.size[1];
  const std::uint16_t beats = beats_of(spec_.rate_of(op.va.dtype));
  const compute::SpmAccess access = compute::spm_access(spm_, op.va);
  std::int64_t idle = 0;  // cycles in which nothing is asked for
  if (!g.output_stationary) {
    work.lanes = read_rows(op.va, op, false);
    work.count = m;
    work.width = work.lanes.size() / work.count;
  } else {
    // Step by step: column k of a fold's rows of A, row k of B.
    const auto rows = static_cast<std::uint32_t>(g.rows);
    const std::uint32_t folds = (m + rows - 1) / rows;
    const std::vector<std::uint32_t> a = read_rows(op.va, op, false);
    const std::size_t lanes = a.size() / m;
    work.width = rows;
    work.count = folds * k;
    work.lanes.assign(static_cast<std::size_t>(work.count) * rows, 0);
    for (std::uint32_t row = 0; row < m; ++row)
      for (std::uint32_t i = 0; i < k; ++i)
        work.lanes[(static_cast<std::size_t>(row / rows) * k + i) * rows + row % rows] = a[row * lanes + i];
    const std::size_t cols = static_cast<std::size_t>(g.cols);
    const std::size_t b_lanes = b_.size() / k;
    for (std::uint32_t i = 0; i < k; ++i)
      work.weights.insert(work.weights.end(), b_.begin() + static_cast<std::ptrdiff_t>(i * b_lanes),
                          b_.begin() + static_cast<std::ptrdiff_t>(i * b_lanes + cols));
    work.fold = k;
    work.between = 2 * g.rows + g.cols - 2;
    idle = folds * work.between;
  }
  const std::int64_t least = std::max<std::int64_t>(static_cast<std::int64_t>(work.count) * beats, access.cycles);
  work.pace = context_.spm.reserve(id(), access.words, least, cycle_, context_.period);
  stream_free_ = cycle_ + context_.cycles(work.pace + idle);
  stats_.streaming += stream_free_ - cycle_;
  add_busy(cycle_, stream_free_);
}

}  // namespace heddle::rtl
