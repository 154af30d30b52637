// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "isa/base/error.hpp"
#include "sim/exec/engine_values.hpp"
#include "sim/exec/int_ops.hpp"
#include "sim/exec/kernels.hpp"
#include "sim/exec/vpu_block.hpp"

namespace heddle::exec {
namespace {

using isa::Opcode;

std::optional<Unary> unary_of(Opcode op) {
  switch (op) {
    case Opcode::vpu_mov:
      return Unary::identity;
    case Opcode::vpu_neg:
      return Unary::neg;
    case Opcode::vpu_abs:
      return Unary::abs;
    case Opcode::vpu_relu:
      return Unary::relu;
    case Opcode::vpu_exp:
      return Unary::exp;
    case Opcode::vpu_log:
      return Unary::log;
    case Opcode::vpu_sqrt:
      return Unary::sqrt;
    case Opcode::vpu_rsqrt:
      return Unary::rsqrt;
    case Opcode::vpu_recip:
      return Unary::recip;
    case Opcode::vpu_sigmoid:
      return Unary::sigmoid;
    case Opcode::vpu_tanh:
      return Unary::tanh;
    case Opcode::vpu_erf:
      return Unary::erf;
    case Opcode::vpu_silu:
      return Unary::silu;
    case Opcode::vpu_gelu:
      return Unary::gelu;
    case Opcode::vpu_gelu_tanh:
      return Unary::gelu_tanh;
    case Opcode::vpu_sin:
      return Unary::sin;
    case Opcode::vpu_cos:
      return Unary::cos;
    case Opcode::vpu_floor:
      return Unary::floor;
    case Opcode::vpu_round:
      return Unary::round;
    default:
      return std::nullopt;
  }
}

// A two-operand function, perhaps with its operands exchanged: s - va, va > s.
struct Pair {
  Binary fn;
  bool swapped = false;
};

std::optional<Pair> pair_of(Opcode op) {
  switch (op) {
    case Opcode::vpu_add:
      return Pair{Binary::add};
    case Opcode::vpu_sub:
      return Pair{Binary::sub};
    case Opcode::vpu_mul:
      return Pair{Binary::mul};
    case Opcode::vpu_div:
      return Pair{Binary::div};
    case Opcode::vpu_max:
      return Pair{Binary::max};
    case Opcode::vpu_min:
      return Pair{Binary::min};
    case Opcode::vpu_lt:
      return Pair{Binary::lt};
    case Opcode::vpu_le:
      return Pair{Binary::le};
    case Opcode::vpu_eq:
      return Pair{Binary::eq};
    case Opcode::vpu_ne:
      return Pair{Binary::ne};
    default:
      return std::nullopt;
  }
}

std::optional<Pair> scalar_pair_of(Opcode op) {
  switch (op) {
    case Opcode::vpu_add_x:
    case Opcode::vpu_add_i:
      return Pair{Binary::add};
    case Opcode::vpu_sub_x:
    case Opcode::vpu_sub_i:
      return Pair{Binary::sub};
    case Opcode::vpu_rsub_x:
    case Opcode::vpu_rsub_i:
      return Pair{Binary::sub, true};
    case Opcode::vpu_mul_x:
    case Opcode::vpu_mul_i:
      return Pair{Binary::mul};
    case Opcode::vpu_div_x:
    case Opcode::vpu_div_i:
      return Pair{Binary::div};
    case Opcode::vpu_rdiv_x:
    case Opcode::vpu_rdiv_i:
      return Pair{Binary::div, true};
    case Opcode::vpu_max_x:
    case Opcode::vpu_max_i:
      return Pair{Binary::max};
    case Opcode::vpu_min_x:
    case Opcode::vpu_min_i:
      return Pair{Binary::min};
    case Opcode::vpu_lt_x:
    case Opcode::vpu_lt_i:
      return Pair{Binary::lt};
    case Opcode::vpu_le_x:
    case Opcode::vpu_le_i:
      return Pair{Binary::le};
    case Opcode::vpu_gt_x:
    case Opcode::vpu_gt_i:
      return Pair{Binary::lt, true};
    case Opcode::vpu_ge_x:
    case Opcode::vpu_ge_i:
      return Pair{Binary::le, true};
    case Opcode::vpu_eq_x:
    case Opcode::vpu_eq_i:
      return Pair{Binary::eq};
    case Opcode::vpu_ne_x:
    case Opcode::vpu_ne_i:
      return Pair{Binary::ne};
    default:
      return std::nullopt;
  }
}

// The same two calls for fp32 and int32.
void run_unary(Unary fn, const float* a, float* r, std::size_t n) { kernels().unary(fn, a, r, n); }
void run_unary(Unary fn, const std::int32_t* a, std::int32_t* r, std::size_t n) { int_unary(fn, a, r, n); }
void run_pair(Pair p, const float* a, const float* b, float* r, std::size_t n) {
  kernels().binary(p.fn, p.swapped ? b : a, p.swapped ? a : b, r, n);
}
void run_pair(Pair p, const std::int32_t* a, const std::int32_t* b, std::int32_t* r, std::size_t n) {
  int_binary(p.fn, p.swapped ? b : a, p.swapped ? a : b, r, n);
}
void run_select(const float* m, const float* b, const float* c, float* r, std::size_t n) {
  kernels().select(m, b, c, r, n);
}
void run_select(const std::int32_t* m, const std::int32_t* b, const std::int32_t* c, std::int32_t* r, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) r[i] = m[i] != 0 ? b[i] : c[i];
}

// N sources repeated to the destination; f(block, sources, result) computes a block of result.
template <class T, std::size_t N, class F>
void elementwise(const EngineOp& op, const MachineMemory& memory, const std::array<const isa::View*, N>& views,
                 std::size_t first_kept, F&& f) {
  const Operand to(op.vd, op, memory);
  std::array<Operand, N> from;
  LoopNest<N + 1> nest;
  nest.size = to.size;
  nest.stride[0] = to.stride;
  for (std::size_t i = 0; i < N; ++i) {
    from[i] = Operand(*views[i], op, memory);
    from[i].repeat_to(to.size);
    nest.stride[i + 1] = from[i].stride;
  }
  nest.collapse(first_kept);
  alignas(64) Buffer<T> source[N == 0 ? 1 : N];
  alignas(64) Buffer<T> result;
  for_each_block(nest.size, [&](const Block& b) {
    for (std::size_t i = 0; i < N; ++i) read_block(from[i], nest.stride[i + 1], b, source[i]);
    f(b, source, result);
    write_block(to, nest.stride[0], b, result);
  });
}

template <class T>
void plain(const EngineOp& op, const MachineMemory& memory) {
  if (const auto fn = unary_of(op.op))
    return elementwise<T, 1>(op, memory, {&op.va}, 4,
                             [&](const Block& b, const Buffer<T>* s, T* r) { run_unary(*fn, s[0], r, b.elements()); });
  if (const auto pair = pair_of(op.op))
    return elementwise<T, 2>(op, memory, {&op.va, &op.vb}, 4, [&](const Block& b, const Buffer<T>* s, T* r) {
      run_pair(*pair, s[0], s[1], r, b.elements());
    });
  if (const auto pair = scalar_pair_of(op.op)) {
    alignas(64) Buffer<T> scalar;
    std::fill_n(scalar, block_elements, std::bit_cast<T>(op.scalar));
    return elementwise<T, 1>(op, memory, {&op.va}, 4, [&](const Block& b, const Buffer<T>* s, T* r) {
      run_pair(*pair, s[0], scalar, r, b.elements());
    });
  }
  if (op.op == Opcode::vpu_select)
    return elementwise<T, 3>(op, memory, {&op.va, &op.vb, &op.vc}, 4, [&](const Block& b, const Buffer<T>* s, T* r) {
      run_select(s[0], s[1], s[2], r, b.elements());
    });
  fail(ErrorKind::internal, "HDL-INT-01", "the VPU has no values for opcode {:#04x}", static_cast<std::uint8_t>(op.op));
}

// Kept where offset + ci i + cj j >= 0, in 64 bits that wrap.
template <class T>
void affine_select(const EngineOp& op, const MachineMemory& memory) {
  const T fill = std::bit_cast<T>(op.scalar);
  elementwise<T, 1>(op, memory, {&op.va}, 2, [&](const Block& b, const Buffer<T>* s, T* r) {
    for (std::size_t i = 0; i < b.rows; ++i) {
      const std::uint64_t row = static_cast<std::uint64_t>(b.row) + i;
      std::uint64_t key = static_cast<std::uint64_t>(op.offset) +
                          static_cast<std::uint64_t>(std::int64_t{op.coef_i}) * row +
                          static_cast<std::uint64_t>(std::int64_t{op.coef_j}) * static_cast<std::uint64_t>(b.column);
      const T* from = s[0] + i * b.columns;
      T* to = r + i * b.columns;
      for (std::size_t j = 0; j < b.columns; ++j) {
        to[j] = static_cast<std::int64_t>(key) >= 0 ? from[j] : fill;
        key += static_cast<std::uint64_t>(std::int64_t{op.coef_j});
      }
    }
  });
}

template <class T>
T from_int64(std::int64_t v) {
  if constexpr (std::is_same_v<T, float>) return static_cast<float>(v);
  constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
  return static_cast<T>(std::clamp(v, low, high));
}

template <class T>
void iota(const EngineOp& op, const MachineMemory& memory) {
  elementwise<T, 0>(op, memory, {}, 3, [&](const Block& b, const Buffer<T>*, T* r) {
    for (std::size_t j = 0; j < b.columns; ++j) {
      const std::uint64_t index = static_cast<std::uint64_t>(b.column) + j;
      r[j] = from_int64<T>(static_cast<std::int64_t>(static_cast<std::uint64_t>(op.offset) +
                                                     static_cast<std::uint64_t>(op.step) * index));
    }
    for (std::size_t i = 1; i < b.rows; ++i) std::copy_n(r, b.columns, r + i * b.columns);
  });
}

// The row result of vpu.fused, gathered over the parts of long rows.
class RowResult {
 public:
  RowResult(const EngineOp& op, const MachineMemory& memory) : reduce_(op.reduce) {
    if (op.has_row) to_ = Operand(op.vc, op, memory);
  }
  // The loop nest's strides for the row result; set before the first block.
  Strides stride{};
  const Operand& operand() const { return to_; }

  void add(const Block& b, const float* r) {
    if (reduce_ == isa::RowReduce::none) return;
    alignas(64) Buffer<float> rows;
    for (std::size_t i = 0; i < b.rows; ++i, r += b.columns) {
      if (b.column == 0) start();
      if (reduce_ == isa::RowReduce::max)
        partial_[0] = kernels().row_max(r, b.columns, partial_[0]);
      else
        kernels().sum(r, b.columns, partial_);
      if (b.last_columns) rows[i] = reduce_ == isa::RowReduce::max ? partial_[0] : fold_partials(partial_);
    }
    if (!b.last_columns) return;
    const Block column{b.i0, b.i1, b.row, 0, b.rows, 1, true};
    write_block(to_, stride, column, rows);
  }

 private:
  void start() {
    const float first = reduce_ == isa::RowReduce::max ? std::numeric_limits<float>::quiet_NaN() : 0.0f;
    std::fill(std::begin(partial_), std::end(partial_), first);
  }
  isa::RowReduce reduce_;
  Operand to_;
  float partial_[16] = {};
};

// Both come from one list.
Unary unary_of(isa::VpuFn fn) { return static_cast<Unary>(fn); }

void fused(const EngineOp& op, const MachineMemory& memory) {
  const Operand to(op.vd, op, memory);
  Operand from(op.va, op, memory);
  from.repeat_to(to.size);
  Operand bias;
  if (op.has_bias) {
    bias = Operand(op.vb, op, memory);
    bias.repeat_to(to.size);
  }
  RowResult row(op, memory);
  LoopNest<4> nest{to.size, {to.stride, from.stride, bias.stride, row.operand().stride}};
  nest.collapse(op.has_row ? 3 : 4);
  row.stride = nest.stride[3];
  const float scale = std::bit_cast<float>(op.scalar);
  const Unary fn = unary_of(op.fn);
  alignas(64) Buffer<float> a;
  alignas(64) Buffer<float> c;
  for_each_block(nest.size, [&](const Block& b) {
    read_block(from, nest.stride[1], b, a);
    if (op.has_bias) read_block(bias, nest.stride[2], b, c);
    kernels().scale(a, scale, op.has_bias ? c : nullptr, a, b.elements());
    if (fn != Unary::identity) kernels().unary(fn, a, a, b.elements());
    row.add(b, a);
    write_block(to, nest.stride[0], b, a);
  });
}

bool all_integers(const EngineOp& op) {
  if (is_float(op.vd.dtype)) return false;
  if (op.op == Opcode::vpu_iota) return true;
  if (is_float(op.va.dtype)) return false;
  const bool two = pair_of(op.op).has_value();
  if (two) return !is_float(op.vb.dtype);
  if (op.op == Opcode::vpu_select) return !is_float(op.vb.dtype) && !is_float(op.vc.dtype);
  return true;
}

}  // namespace

void execute_vpu(const EngineOp& op, MachineMemory& memory) {
  const bool integers = all_integers(op);
  switch (op.op) {
    case Opcode::vpu_sum:
    case Opcode::vpu_rowmax:
    case Opcode::vpu_rowmin:
    case Opcode::vpu_sumsq:
    case Opcode::vpu_argmax:
      return execute_reduction(op, memory);
    case Opcode::vpu_topk:
      return execute_topk(op, memory);
    case Opcode::vpu_fused:
      return fused(op, memory);
    case Opcode::vpu_affine_select:
      return integers ? affine_select<std::int32_t>(op, memory) : affine_select<float>(op, memory);
    case Opcode::vpu_iota:
      return integers ? iota<std::int32_t>(op, memory) : iota<float>(op, memory);
    default:
      return integers ? plain<std::int32_t>(op, memory) : plain<float>(op, memory);
  }
}

}  // namespace heddle::exec
