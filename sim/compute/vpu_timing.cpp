// SPDX-License-Identifier: Apache-2.0
#include "sim/compute/vpu_timing.hpp"

#include <algorithm>
#include <bit>

namespace heddle::compute {
namespace {

using isa::Opcode;
using isa::TimingClass;
using isa::VpuFn;

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

bool dense(const isa::View& v) {
  std::int64_t step = 1;
  for (int d = v.rank - 1; d >= 0; --d) {
    const auto i = static_cast<std::size_t>(d);
    if (v.size[i] != 1 && v.stride[i] != step) return false;
    step *= v.size[i];
  }
  return true;
}

bool same_count(const isa::View& a, const isa::View& b) { return a.elements() == b.elements(); }

// Every operand dense and of vd's element count: the unit may take rows as one.
bool flat(const exec::EngineOp& op) {
  if (!dense(op.vd)) return false;
  const auto fits = [&](const isa::View& v) { return dense(v) && same_count(v, op.vd); };
  switch (isa::info(op.op).format) {
    case isa::FormatId::vpu_unary:
    case isa::FormatId::vpu_scalar_x:
    case isa::FormatId::vpu_scalar_i:
      return fits(op.va);
    case isa::FormatId::vpu_binary:
      return fits(op.va) && fits(op.vb);
    case isa::FormatId::vpu_select:
      return fits(op.va) && fits(op.vb) && fits(op.vc);
    case isa::FormatId::vpu_fused:
      return fits(op.va) && (!op.has_bias || fits(op.vb)) && !op.has_row;
    default:
      return false;  // indices matter: iota, affine_select
  }
}

config::Ratio rate_of(const config::VpuSpec& vpu, VpuFn fn) {
  switch (fn) {
    case VpuFn::identity:
    case VpuFn::neg:
    case VpuFn::abs:
    case VpuFn::relu:
    case VpuFn::square:
      return vpu.simple;
    case VpuFn::sqrt:
    case VpuFn::rsqrt:
    case VpuFn::recip:
      return vpu.divide;
    default:
      return vpu.transcendental;
  }
}

std::int64_t tree_cycles(const config::VpuSpec& vpu, std::int64_t rows) {
  const std::int64_t width = vpu.lanes * std::max<std::int64_t>(1, vpu.sublanes / std::max<std::int64_t>(1, rows));
  return std::bit_width(static_cast<std::uint64_t>(width - 1));
}

// Calls f for every tile that the instruction reads.
template <class F>
void for_each_source(const exec::EngineOp& op, F f) {
  f(op.va);
  switch (isa::info(op.op).format) {
    case isa::FormatId::vpu_binary:
      f(op.vb);
      break;
    case isa::FormatId::vpu_select:
      f(op.vb), f(op.vc);
      break;
    case isa::FormatId::vpu_fused:
      if (op.has_bias) f(op.vb);
      break;
    default:
      break;
  }
}

// What reading and writing the operands takes at least, whatever is computed.
std::int64_t port_cycles(const config::VpuSpec& vpu, const exec::EngineOp& op, std::int64_t passes) {
  std::int64_t least = 0;
  const auto bound = [&](const config::Ratio& rate) {
    if (rate.num > 0) least = std::max(least, rate.cycles_for(passes));
  };
  const auto by_dtype = [](const auto& rates, const isa::View& v) { return rates[static_cast<std::size_t>(v.dtype)]; };
  int full = 0;
  if (op.op != isa::Opcode::vpu_iota)
    for_each_source(op, [&](const isa::View& v) {
      bound(by_dtype(vpu.read, v));
      full += same_count(v, op.vd) ? 1 : 0;
    });
  bound(by_dtype(vpu.write, op.vd));
  if (full >= 2) bound(vpu.two_sources);
  return least;
}

// At the rate of the operation's class.
std::int64_t class_cycles(const config::VpuSpec& vpu, const exec::EngineOp& op, std::int64_t passes,
                          std::int64_t rows) {
  switch (isa::info(op.op).timing) {
    case TimingClass::vpu_divide:
      return vpu.divide.cycles_for(passes);
    case TimingClass::vpu_transcendental:
      return vpu.transcendental.cycles_for(passes);
    case TimingClass::vpu_reduce:
      return vpu.reduce.cycles_for(passes) + tree_cycles(vpu, rows);
    case TimingClass::vpu_topk: {
      const std::int64_t k = op.vd.size[static_cast<std::size_t>(op.vd.rank - 1)];
      return vpu.topk.cycles_for(passes * k) + tree_cycles(vpu, rows);
    }
    case TimingClass::vpu_fused: {
      const std::int64_t body = rate_of(vpu, op.fn).cycles_for(passes);
      return op.has_row ? std::max(body, vpu.reduce.cycles_for(passes)) + tree_cycles(vpu, rows) : body;
    }
    default:
      return vpu.simple.cycles_for(passes);
  }
}

}  // namespace

std::int64_t vpu_row_passes(const config::VpuSpec& vpu, std::int64_t rows, std::int64_t n) {
  if (rows == 0 || n == 0) return 0;
  const std::int64_t sublanes_a_row = std::max<std::int64_t>(1, vpu.sublanes / rows);
  return ceil_div(rows, vpu.sublanes) * ceil_div(n, vpu.lanes * sublanes_a_row);
}

std::int64_t vpu_body_cycles(const config::VpuSpec& vpu, const exec::EngineOp& op) {
  const TimingClass timing = isa::info(op.op).timing;
  if (timing == TimingClass::engine_sync) return 0;
  // Reductions and top-k read more than they write: their source sets the work.
  const bool by_source = timing == TimingClass::vpu_reduce || timing == TimingClass::vpu_topk;
  const isa::View& shape = by_source ? op.va : op.vd;
  const auto total = static_cast<std::int64_t>(shape.elements());
  if (total == 0) return 0;
  const std::int64_t n = shape.size[static_cast<std::size_t>(shape.rank - 1)];
  const std::int64_t rows = total / n;
  const std::int64_t passes =
      !by_source && flat(op) ? ceil_div(total, vpu.lanes * vpu.sublanes) : vpu_row_passes(vpu, rows, n);
  return std::max(class_cycles(vpu, op, passes, rows), port_cycles(vpu, op, passes));
}

}  // namespace heddle::compute
