// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/problems.hpp"

#include <cmath>

#include "kernels/attention/problem.hpp"
#include "kernels/norm/problem.hpp"
#include "kernels/registry/problem.hpp"
#include "kernels/softmax/problem.hpp"

namespace heddle::kernels {
namespace {

using Tensors = std::vector<TensorSpec>;
using Matrix = std::vector<double>;

void set_tensors(KernelDef& d, std::function<Tensors(const Shape&, DType)> tensors) {
  d.tensors = tensors;
  d.work = [tensors](const Shape& s, DType dtype) { return Work{0, dtype, bytes_once(tensors(s, dtype))}; };
}

// With `tensors` behind those that the problem has already.
void add_workspace(KernelDef& d, const std::function<Tensors(const Shape&, DType)>& workspace) {
  set_tensors(d, [before = d.tensors, workspace](const Shape& s, DType dtype) {
    Tensors all = before(s, dtype);
    for (TensorSpec& t : workspace(s, dtype)) all.push_back(std::move(t));
    return all;
  });
}

TensorSpec space(const char* name, DType dtype, std::vector<std::int64_t> dims) {
  return {name, dtype, std::move(dims), Role::workspace, {}};
}

// [rows, n] = a [rows, k] · b [k, n] + bias.
Matrix linear(const Matrix& a, const HostTensor& b, const HostTensor& bias, std::int64_t first_bias, std::int64_t k,
              std::int64_t n) {
  const auto rows = static_cast<std::int64_t>(a.size()) / k;
  Matrix c(static_cast<std::size_t>(rows * n));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = bias.get(first_bias + j);
      for (std::int64_t i = 0; i < k; ++i) sum += a[static_cast<std::size_t>(r * k + i)] * b.get(i * n + j);
      c[static_cast<std::size_t>(r * n + j)] = sum;
    }
  return c;
}

void norm_rows(Matrix& x, const HostTensor& scale_shift, std::int64_t first, std::int64_t n) {
  for (std::size_t r = 0; r < x.size(); r += static_cast<std::size_t>(n)) {
    double mean = 0, squares = 0;
    for (std::int64_t j = 0; j < n; ++j) mean += x[r + static_cast<std::size_t>(j)] / static_cast<double>(n);
    for (std::int64_t j = 0; j < n; ++j) squares += std::pow(x[r + static_cast<std::size_t>(j)] - mean, 2);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + 1e-5);
    for (std::int64_t j = 0; j < n; ++j) {
      double& v = x[r + static_cast<std::size_t>(j)];
      v = (v - mean) * scale * scale_shift.get(first + j) + scale_shift.get(first + n + j);
    }
  }
}

Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, std::int64_t tokens, std::int64_t heads) {
  const auto hidden = static_cast<std::int64_t>(q.size()) / tokens, dim = hidden / heads;
  const auto at_head = [&](const Matrix& m, std::int64_t t, std::int64_t h, std::int64_t i) {
    return m[static_cast<std::size_t>(t * hidden + h * dim + i)];
  };
  Matrix o(q.size());
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t t = 0; t < tokens; ++t) {
      Matrix weights(static_cast<std::size_t>(tokens));
      double sum = 0;
      for (std::int64_t p = 0; p < tokens; ++p) {
        double dot = 0;
        for (std::int64_t i = 0; i < dim; ++i) dot += at_head(q, t, h, i) * at_head(k, p, h, i);
        sum += weights[static_cast<std::size_t>(p)] = std::exp(dot / std::sqrt(static_cast<double>(dim)));
      }
      for (std::int64_t p = 0; p < tokens; ++p)
        for (std::int64_t i = 0; i < dim; ++i)
          o[static_cast<std::size_t>(t * hidden + h * dim + i)] +=
              weights[static_cast<std::size_t>(p)] / sum * at_head(v, p, h, i);
    }
  return o;
}

double gelu_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

void encoder_reference(const Shape& s, std::vector<HostTensor>& t) {
  const auto tokens = at(s, "tokens"), heads = at(s, "heads"), hidden = heads * at(s, "head_dim");
  const auto inner = at(s, "intermediate");
  Matrix x(static_cast<std::size_t>(tokens * hidden));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = t[0].get(static_cast<std::int64_t>(i));
  const auto from_x = [&](std::size_t w, std::int64_t number) {
    return linear(x, t[w], t[7], number * hidden, hidden, hidden);
  };
  const Matrix o = attend(from_x(1, 0), from_x(2, 1), from_x(3, 2), tokens, heads);
  Matrix h = linear(o, t[4], t[7], 3 * hidden, hidden, hidden);
  for (std::size_t i = 0; i < h.size(); ++i) h[i] += x[i];
  norm_rows(h, t[9], 0, hidden);
  Matrix f = linear(h, t[5], t[8], 0, hidden, inner);
  for (double& v : f) v = gelu_tanh(v);
  Matrix y = linear(f, t[6], t[7], 4 * hidden, inner, hidden);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += h[i];
  norm_rows(y, t[9], 2 * hidden, hidden);
  for (std::size_t i = 0; i < y.size(); ++i) t[10].set(static_cast<std::int64_t>(i), y[i]);
}

}  // namespace

KernelDef graph_softmax_problem() {
  KernelDef d = softmax_problem();
  d.name = "graph_softmax";
  d.summary = "softmax in passes through memory, as graph compilers cut it";
  add_workspace(d, [](const Shape& s, DType) {
    return Tensors{space("top", DType::fp32, {at(s, "rows")}), space("total", DType::fp32, {at(s, "rows")})};
  });
  return d;
}

KernelDef graph_layernorm_problem() {
  KernelDef d = layernorm_problem();
  d.name = "graph_layernorm";
  d.summary = "layer norm in passes through memory, as graph compilers cut it";
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 2e-5 : 2 * rounding(dtype); };
  add_workspace(d, [](const Shape& s, DType dtype) {
    const auto tokens = at(s, "tokens");
    return Tensors{space("mean", DType::fp32, {tokens}), space("scale", DType::fp32, {tokens}),
                   space("z", dtype, {tokens, at(s, "hidden")})};
  });
  return d;
}

KernelDef graph_attention_problem() {
  KernelDef d;
  d.name = "graph_attention";
  d.summary = "attention that stores its scores, as graph compilers cut it";
  d.params = {{"heads", 12, 1, "heads"}, {"seq", 512, 1, "queries, keys"}, {"head_dim", 64, 1, "size of a head"}};
  d.dtypes = {DType::fp32, DType::bf16};
  d.uses_mxu = true;
  const auto macs = [](const Shape& s) {
    return 2 * static_cast<double>(at(s, "heads") * at(s, "seq")) *
           static_cast<double>(at(s, "seq") * at(s, "head_dim"));
  };
  set_tensors(d, [](const Shape& s, DType dtype) {
    const auto heads = at(s, "heads"), seq = at(s, "seq");
    const std::vector<std::int64_t> dims{heads, seq, at(s, "head_dim")};
    return Tensors{{"q", dtype, dims, Role::input, {}},       {"k", dtype, dims, Role::input, {}},
                   {"v", dtype, dims, Role::input, {}},       {"o", dtype, dims, Role::output, {}},
                   space("scores", dtype, {heads, seq, seq}), space("top", DType::fp32, {heads * seq}),
                   space("total", DType::fp32, {heads * seq})};
  });
  d.work = [tensors = d.tensors, macs](const Shape& s, DType dtype) {
    return Work{macs(s), dtype, bytes_once(tensors(s, dtype))};
  };
  d.reference = [](const Shape& s, std::vector<HostTensor>& t) {
    const auto seq = at(s, "seq"), dim = at(s, "head_dim");
    for (std::int64_t h = 0; h < at(s, "heads"); ++h) {
      const auto of_head = [&](const HostTensor& x) {
        Matrix m(static_cast<std::size_t>(seq * dim));
        for (std::size_t i = 0; i < m.size(); ++i) m[i] = x.get(h * seq * dim + static_cast<std::int64_t>(i));
        return m;
      };
      const Matrix o = attend(of_head(t[0]), of_head(t[1]), of_head(t[2]), seq, 1);
      for (std::size_t i = 0; i < o.size(); ++i) t[3].set(h * seq * dim + static_cast<std::int64_t>(i), o[i]);
    }
  };
  // Scores of 8 bits are off by a hundredth where they are about 3.
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 2e-5 : 8 * rounding(dtype); };
  d.test_shapes = {{{"heads", 1}, {"seq", 1}, {"head_dim", 1}},
                   {{"heads", 3}, {"seq", 67}, {"head_dim", 40}},
                   {{"heads", 2}, {"seq", 128}, {"head_dim", 64}},
                   {{"heads", 1}, {"seq", 600}, {"head_dim", 32}}};
  return d;
}

KernelDef graph_encoder_problem() {
  KernelDef d;
  d.name = "graph_encoder";
  d.summary = "an encoder layer, as graph compilers cut it";
  d.params = {{"tokens", 512, 1, "rows"},
              {"heads", 12, 1, "heads"},
              {"head_dim", 64, 1, "size of a head; hidden = heads * head_dim"},
              {"intermediate", 3072, 1, "columns of the first feed-forward matrix"}};
  d.dtypes = {DType::fp32};
  d.uses_mxu = true;
  d.tensors = [](const Shape& s, DType dtype) {
    const auto tokens = at(s, "tokens"), hidden = at(s, "heads") * at(s, "head_dim"), inner = at(s, "intermediate");
    const auto weights = [&](const char* name, std::int64_t k, std::int64_t n) {
      const double scale = 1.7 / std::sqrt(static_cast<double>(k));
      return TensorSpec{name, dtype, {k, n}, Role::input, [scale](std::int64_t, std::uint64_t random) {
                          return scale * (static_cast<double>(random >> 11) * 0x1p-52 - 1);
                        }};
    };
    const std::vector<std::int64_t> dims{tokens, hidden};
    return Tensors{{"x", dtype, dims, Role::input, {}},
                   weights("wq", hidden, hidden),
                   weights("wk", hidden, hidden),
                   weights("wv", hidden, hidden),
                   weights("wo", hidden, hidden),
                   weights("w1", hidden, inner),
                   weights("w2", inner, hidden),
                   {"biases", DType::fp32, {5, hidden}, Role::input, {}},  // of q, k, v, o and the second matrix
                   {"bias1", DType::fp32, {inner}, Role::input, {}},
                   {"norms", DType::fp32, {4, hidden}, Role::input, {}},  // scale and shift of each norm
                   {"y", dtype, dims, Role::output, {}},
                   space("q", dtype, dims),
                   space("k", dtype, dims),
                   space("v", dtype, dims),
                   space("o", dtype, dims),
                   space("scores", dtype, {at(s, "heads"), tokens, tokens}),
                   space("top", DType::fp32, {at(s, "heads") * tokens}),
                   space("total", DType::fp32, {at(s, "heads") * tokens}),
                   space("sum", dtype, dims),
                   space("h", dtype, dims),
                   space("f", dtype, {tokens, inner}),
                   space("mean", DType::fp32, {tokens}),
                   space("scale", DType::fp32, {tokens}),
                   space("z", dtype, dims)};
  };
  d.reference = encoder_reference;
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) {
    const auto d64 = [](std::int64_t v) { return static_cast<double>(v); };
    const double tokens = d64(at(s, "tokens")), hidden = d64(at(s, "heads") * at(s, "head_dim"));
    const double macs = tokens * hidden * (4 * hidden + 2 * tokens + 2 * d64(at(s, "intermediate")));
    return Work{macs, dtype, bytes_once(tensors(s, dtype))};
  };
  d.tolerance = [](DType) { return 1e-4; };
  d.test_shapes = {{{"tokens", 1}, {"heads", 1}, {"head_dim", 8}, {"intermediate", 16}},
                   {{"tokens", 33}, {"heads", 3}, {"head_dim", 24}, {"intermediate", 100}},
                   {{"tokens", 140}, {"heads", 4}, {"head_dim", 32}, {"intermediate", 70}}};
  return d;
}

}  // namespace heddle::kernels
