// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>

#include "isa/base/error.hpp"

namespace heddle::app {
namespace {

using isa::Opcode;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

using Unary = double (*)(double);
using Binary = double (*)(double, double);

// By the names that the instruction table and vpu_functions.def give them.
constexpr std::pair<std::string_view, Unary> unaries[]{
    {"mov", [](double x) { return x; }},
    {"identity", [](double x) { return x; }},
    {"neg", [](double x) { return -x; }},
    {"abs", [](double x) { return std::fabs(x); }},
    {"relu", [](double x) { return std::fmax(x, 0); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"recip", [](double x) { return 1 / x; }},
    {"sigmoid", sigmoid},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"erf", [](double x) { return std::erf(x); }},
    {"silu", [](double x) { return x * sigmoid(x); }},
    {"gelu", [](double x) { return x / 2 * (1 + std::erf(x / std::numbers::sqrt2)); }},
    {"gelu_tanh",
     [](double x) { return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))); }},
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"square", [](double x) { return x * x; }},
    {"floor", [](double x) { return std::floor(x); }},
    {"round", [](double x) { return std::nearbyint(x); }}};
constexpr std::pair<std::string_view, Binary> binaries[]{{"add", [](double a, double b) { return a + b; }},
                                                         {"sub", [](double a, double b) { return a - b; }},
                                                         {"rsub", [](double a, double b) { return b - a; }},
                                                         {"mul", [](double a, double b) { return a * b; }},
                                                         {"div", [](double a, double b) { return a / b; }},
                                                         {"rdiv", [](double a, double b) { return b / a; }},
                                                         {"max", [](double a, double b) { return std::fmax(a, b); }},
                                                         {"min", [](double a, double b) { return std::fmin(a, b); }},
                                                         {"lt", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
                                                         {"le", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
                                                         {"gt", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
                                                         {"ge", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
                                                         {"eq", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
                                                         {"ne", [](double a, double b) { return a != b ? 1.0 : 0.0; }}};

template <class Row, std::size_t N>
auto named(const Row (&rows)[N], std::string_view name) {
  const Row* row = std::find_if(rows, rows + N, [&](const Row& r) { return r.first == name; });
  if (row == rows + N) fail(ErrorKind::internal, "HDL-INT-01", "no exact values for vpu.{}", name);
  return row->second;
}

// Where element i of `to` finds its own in `from`, whose sizes of 1 repeat.
class Repeat {
 public:
  Repeat(const Exact& to, const Exact& from) : to_(to.size), from_(from.size) { same_ = to_ == from_; }
  std::size_t operator()(std::size_t i) const {
    if (same_) return i;
    std::size_t at = 0, step = 1;
    for (std::size_t d = 4; d-- > 0;) {
      const std::size_t index = i % to_[d];
      i /= to_[d];
      if (from_[d] != 1) at += index * step;
      step *= from_[d];
    }
    return at;
  }

 private:
  exec::Sizes to_, from_;
  bool same_;
};

void transpose(const Exact& from, Exact& to) {
  const std::size_t rows = from.size[2], columns = from.size[3];
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    const std::size_t outer = i / (rows * columns), row = i / columns % rows, column = i % columns;
    to.values[(outer * columns + column) * rows + row] = from.values[i];
  }
}

void load(const exec::EngineOp& op, const Exact& from, ExactTile& tile) {
  tile.k = from.size[2], tile.n = from.size[3];
  tile.values = from.values;
  if (!op.transposed) return;
  std::swap(tile.k, tile.n);
  for (std::size_t n = 0; n < tile.n; ++n)
    for (std::size_t k = 0; k < tile.k; ++k) tile.values[k * tile.n + n] = from.values[n * tile.k + k];
}

void matmul(const exec::EngineOp& op, const std::vector<Exact>& sources, const ExactTile& tile, Exact& to) {
  const Exact& a = sources[0];
  const std::size_t m = to.size[2], n = std::min<std::size_t>(tile.n, to.size[3]);
  const std::size_t k = std::min<std::size_t>(tile.k, a.size[3]);
  if (op.accumulate)
    to.values = sources[1].values;
  else
    std::fill(to.values.begin(), to.values.end(), 0.0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t p = 0; p < k; ++p) {
      const double scale = a.values[i * a.size[3] + p];
      for (std::size_t j = 0; j < n; ++j) to.values[i * to.size[3] + j] += scale * tile.values[p * tile.n + j];
    }
}

// One row to one number.
double reduce(Opcode op, const double* row, std::size_t n) {
  if (op == Opcode::vpu_sum) return std::accumulate(row, row + n, 0.0);
  if (op == Opcode::vpu_sumsq) return std::inner_product(row, row + n, row, 0.0);
  double best = nan;
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (op == Opcode::vpu_rowmin ? !(row[i] >= best) && !std::isnan(row[i]) : row[i] > best || std::isnan(best))
      best = row[i], at = i;
  }
  if (op == Opcode::vpu_argmax) return std::isnan(best) ? 0 : static_cast<double>(at);
  return best;
}

void top_k(const Exact& from, std::vector<Exact>& results) {
  const std::size_t n = from.size[3], k = results[0].size[3];
  std::vector<std::size_t> order(n);
  for (std::size_t r = 0; r * n < from.values.size(); ++r) {
    const double* row = from.values.data() + r * n;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return row[a] > row[b] || (std::isnan(row[b]) && !std::isnan(row[a]));
    });
    for (std::size_t i = 0; i < k; ++i) {
      results[0].values[r * k + i] = row[order[i]];
      results[1].values[r * k + i] = static_cast<double>(order[i]);
    }
  }
}

std::string_view name_of(isa::VpuFn fn) {
  static constexpr std::string_view names[]{
#define HEDDLE_VPU_FUNCTION(name) #name,
#include "isa/def/vpu_functions.def"
#undef HEDDLE_VPU_FUNCTION
  };
  return names[static_cast<std::size_t>(fn)];
}

void fused(const exec::EngineOp& op, const std::vector<Exact>& sources, std::vector<Exact>& results) {
  Exact& to = results[0];
  const auto scale = static_cast<double>(std::bit_cast<float>(op.scalar));
  const Repeat a(to, sources[0]), bias(to, sources.back());
  const Unary fn = named(unaries, name_of(op.fn));
  for (std::size_t i = 0; i < to.values.size(); ++i) {
    const double t = sources[0].values[a(i)] * scale + (op.has_bias ? sources[1].values[bias(i)] : 0);
    to.values[i] = fn(t);
  }
  if (!op.has_row) return;
  const Opcode by = op.reduce == isa::RowReduce::max ? Opcode::vpu_rowmax : Opcode::vpu_sum;
  for (std::size_t r = 0; r < results[1].values.size(); ++r)
    results[1].values[r] = reduce(by, to.values.data() + r * to.size[3], to.size[3]);
}

// The scalar operand as the instruction's numbers have it.
double scalar_of(const exec::EngineOp& op) {
  if (is_float(op.vd.dtype) || is_float(op.va.dtype)) return static_cast<double>(std::bit_cast<float>(op.scalar));
  return std::bit_cast<std::int32_t>(op.scalar);
}

void affine_select(const exec::EngineOp& op, const Exact& from, Exact& to) {
  const double fill = scalar_of(op);
  const Repeat a(to, from);
  for (std::size_t i = 0; i < to.values.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i / to.size[3] % to.size[2]);
    const auto column = static_cast<std::int64_t>(i % to.size[3]);
    to.values[i] = op.offset + op.coef_i * row + op.coef_j * column >= 0 ? from.values[a(i)] : fill;
  }
}

void elementwise(const exec::EngineOp& op, const std::vector<Exact>& sources, Exact& to) {
  std::string_view name = isa::info(op.op).mnemonic.substr(4);  // behind "vpu."
  const bool with_scalar = name.ends_with(".x") || name.ends_with(".i");
  if (with_scalar) name.remove_suffix(2);
  std::vector<Repeat> at;
  for (const Exact& s : sources) at.emplace_back(to, s);
  const auto source = [&](std::size_t s, std::size_t i) { return sources[s].values[at[s](i)]; };
  const auto each = [&](auto&& f) {
    for (std::size_t i = 0; i < to.values.size(); ++i) to.values[i] = f(i);
  };
  if (op.op == Opcode::vpu_select) {
    each([&](std::size_t i) { return source(0, i) != 0 ? source(1, i) : source(2, i); });
  } else if (with_scalar) {
    each([&, fn = named(binaries, name), s = scalar_of(op)](std::size_t i) { return fn(source(0, i), s); });
  } else if (sources.size() == 2) {
    each([&, fn = named(binaries, name)](std::size_t i) { return fn(source(0, i), source(1, i)); });
  } else {
    each([&, fn = named(unaries, name)](std::size_t i) { return fn(source(0, i)); });
  }
}

// Integers stay what they are on the machine: to the nearest, and no further than their type goes.
void to_dtype(DType dtype, std::vector<double>& values) {
  if (is_float(dtype)) return;
  const double most = std::ldexp(1.0, static_cast<int>(bits(dtype)) - 1);
  for (double& v : values) v = std::isnan(v) ? 0 : std::clamp(std::nearbyint(v), -most, most - 1);
}

}  // namespace

void exact(const exec::EngineOp& op, const std::vector<Exact>& sources, ExactTile& tile, std::vector<Exact>& results) {
  switch (op.op) {
    case Opcode::dma_copy:
    case Opcode::dma_gather:
    case Opcode::dma_scatter:
      results[0].values = sources[0].values;
      return;
    case Opcode::dma_transpose:
      return transpose(sources[0], results[0]);
    case Opcode::dma_fill: {
      const double value = is_float(op.vd.dtype) ? static_cast<double>(std::bit_cast<float>(op.scalar))
                                                 : std::bit_cast<std::int32_t>(op.scalar);
      std::fill(results[0].values.begin(), results[0].values.end(), value);
      return;
    }
    case Opcode::mxu_load:
      return load(op, sources[0], tile);
    case Opcode::mxu_matmul:
      return matmul(op, sources, tile, results[0]);
    case Opcode::vpu_sum:
    case Opcode::vpu_sumsq:
    case Opcode::vpu_rowmax:
    case Opcode::vpu_rowmin:
    case Opcode::vpu_argmax:
      for (std::size_t r = 0; r < results[0].values.size(); ++r)
        results[0].values[r] = reduce(op.op, sources[0].values.data() + r * sources[0].size[3], sources[0].size[3]);
      break;
    case Opcode::vpu_topk:
      top_k(sources[0], results);
      break;
    case Opcode::vpu_fused:
      fused(op, sources, results);
      break;
    case Opcode::vpu_affine_select:
      affine_select(op, sources[0], results[0]);
      break;
    case Opcode::vpu_iota:
      for (std::size_t i = 0; i < results[0].values.size(); ++i)
        results[0].values[i] =
            static_cast<double>(op.offset + op.step * static_cast<std::int64_t>(i % results[0].size[3]));
      break;
    default:
      elementwise(op, sources, results[0]);
  }
  to_dtype(op.vd.dtype, results[0].values);
}

}  // namespace heddle::app
