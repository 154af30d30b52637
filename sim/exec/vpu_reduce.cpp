// SPDX-License-Identifier: Apache-2.0
// Reductions over the last dimension, argmax and topk.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "isa/base/error.hpp"
#include "sim/exec/int_ops.hpp"
#include "sim/exec/kernels.hpp"
#include "sim/exec/vpu_block.hpp"

namespace heddle::exec {
namespace {

using isa::Opcode;

// Whether b stands before a in falling order; NaN is below every number, equal to itself.
bool larger(float b, float a) { return b > a || (std::isnan(a) && !std::isnan(b)); }
bool larger(std::int32_t b, std::int32_t a) { return b > a; }

// One row's reduction in parts from left to right.
template <class T>
class RowReduction;

template <>
class RowReduction<float> {
 public:
  explicit RowReduction(Opcode op) : op_(op) {}
  void start() {
    const bool extreme = op_ == Opcode::vpu_rowmax || op_ == Opcode::vpu_rowmin;
    std::fill(std::begin(partial_), std::end(partial_), extreme ? std::numeric_limits<float>::quiet_NaN() : 0.0f);
  }
  void add(const float* a, std::size_t n) {
    if (op_ == Opcode::vpu_sum) return kernels().sum(a, n, partial_);
    if (op_ == Opcode::vpu_sumsq) return kernels().sumsq(a, n, partial_);
    partial_[0] = (op_ == Opcode::vpu_rowmax ? kernels().row_max : kernels().row_min)(a, n, partial_[0]);
  }
  float result() { return op_ == Opcode::vpu_sum || op_ == Opcode::vpu_sumsq ? fold_partials(partial_) : partial_[0]; }

 private:
  Opcode op_;
  float partial_[16] = {};
};

template <>
class RowReduction<std::int32_t> {
 public:
  explicit RowReduction(Opcode op) : op_(op) {}
  void start() {
    value_ = op_ == Opcode::vpu_rowmax   ? std::numeric_limits<std::int32_t>::min()
             : op_ == Opcode::vpu_rowmin ? std::numeric_limits<std::int32_t>::max()
                                         : 0;
  }
  void add(const std::int32_t* a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      if (op_ == Opcode::vpu_rowmax)
        value_ = std::max(value_, a[i]);
      else if (op_ == Opcode::vpu_rowmin)
        value_ = std::min(value_, a[i]);
      else
        value_ = wrap_add(value_, op_ == Opcode::vpu_sum ? a[i] : wrap_mul(a[i], a[i]));
    }
  }
  std::int32_t result() const { return value_; }

 private:
  Opcode op_;
  std::int32_t value_ = 0;
};

template <class T>
class RowArgmax {
 public:
  void start() {
    best_ = 0;
    seen_ = 0;
  }
  void add(const T* a, std::size_t n) {
    std::size_t i = 0;
    if (seen_ == 0) value_ = a[i++];
    for (; i < n; ++i)
      if (larger(a[i], value_)) {
        value_ = a[i];
        best_ = seen_ + i;
      }
    seen_ += n;
  }
  std::int32_t result() const { return static_cast<std::int32_t>(best_); }

 private:
  std::size_t best_ = 0;
  std::size_t seen_ = 0;
  T value_{};
};

// Rows of T in, one Result each out.
template <class T, class Result, class Reduction>
void reduce_rows(const EngineOp& op, const MachineMemory& memory, Reduction reduction) {
  const Operand to(op.vd, op, memory);
  const Operand from(op.va, op, memory);
  LoopNest<2> nest{from.size, {to.stride, from.stride}};
  nest.collapse(3);
  alignas(64) Buffer<T> a;
  alignas(64) Buffer<Result> rows;
  for_each_block(nest.size, [&](const Block& b) {
    read_block(from, nest.stride[1], b, a);
    for (std::size_t i = 0; i < b.rows; ++i) {
      if (b.column == 0) reduction.start();
      reduction.add(a + i * b.columns, b.columns);
      if (b.last_columns) rows[i] = reduction.result();
    }
    if (b.last_columns) write_block(to, nest.stride[0], Block{b.i0, b.i1, b.row, 0, b.rows, 1, true}, rows);
  });
}

template <class T>
void topk_rows(const EngineOp& op, const MachineMemory& memory) {
  const Operand to(op.vd, op, memory);
  const Operand to_index(op.vc, op, memory);
  const Operand from(op.va, op, memory);
  const std::size_t n = from.size[3];
  const std::size_t k = to.size[3];
  std::vector<T> row(n);
  std::vector<std::int32_t> order(n);
  std::vector<T> values(k);
  for (std::int64_t i0 = 0; i0 < from.size[0]; ++i0)
    for (std::int64_t i1 = 0; i1 < from.size[1]; ++i1)
      for (std::int64_t i2 = 0; i2 < from.size[2]; ++i2) {
        const auto offset = [&](const Operand& o) { return i0 * o.stride[0] + i1 * o.stride[1] + i2 * o.stride[2]; };
        read_run(from, offset(from), from.stride[3], n, row.data());
        std::iota(order.begin(), order.end(), 0);
        const auto before = [&](std::int32_t i, std::int32_t j) {
          const T a = row[static_cast<std::size_t>(i)];
          const T b = row[static_cast<std::size_t>(j)];
          if (larger(a, b)) return true;
          return !larger(b, a) && i < j;
        };
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(), before);
        for (std::size_t i = 0; i < k; ++i) values[i] = row[static_cast<std::size_t>(order[i])];
        write_run(to, offset(to), to.stride[3], k, values.data());
        write_run(to_index, offset(to_index), to_index.stride[3], k, order.data());
      }
}

}  // namespace

void execute_reduction(const EngineOp& op, const MachineMemory& memory) {
  const bool integers = !is_float(op.va.dtype);
  if (op.op == Opcode::vpu_argmax) {
    if (integers) return reduce_rows<std::int32_t, std::int32_t>(op, memory, RowArgmax<std::int32_t>());
    return reduce_rows<float, std::int32_t>(op, memory, RowArgmax<float>());
  }
  if (integers && !is_float(op.vd.dtype))
    return reduce_rows<std::int32_t, std::int32_t>(op, memory, RowReduction<std::int32_t>(op.op));
  reduce_rows<float, float>(op, memory, RowReduction<float>(op.op));
}

void execute_topk(const EngineOp& op, const MachineMemory& memory) {
  if (is_float(op.va.dtype) || is_float(op.vd.dtype)) return topk_rows<float>(op, memory);
  topk_rows<std::int32_t>(op, memory);
}

}  // namespace heddle::exec
