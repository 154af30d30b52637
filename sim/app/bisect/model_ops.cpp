// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/model_ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/registry/problem.hpp"
#include "sim/app/bisect/model_math.hpp"
#include "sim/app/bisect/operands.hpp"

namespace heddle::app {
namespace {

using A = models::StepArguments;

class Step {
 public:
  Step(const models::Layout& l, const std::uint8_t* hbm, const StepWords& a, std::int64_t number,
       std::optional<double> tol)
      : layout(l), c(l.config), n(number), hbm_(hbm), words_(a), tolerance_(tol) {
    tokens = static_cast<std::int64_t>(a[A::tokens]);
    position = static_cast<std::int64_t>(a[A::position]);
    rows = static_cast<std::int64_t>(a[A::logit_rows]);
  }

  PlacedTensor work(std::string name, std::uint64_t offset, DType dtype, std::int64_t count, std::int64_t width) const {
    return {std::move(name), dtype, {count, width}, words_[A::workspace] + offset};
  }
  PlacedTensor residual() const { return work("residual", layout.residual, DType::fp32, tokens, c.hidden); }
  PlacedTensor normed() const { return work("normed", layout.normed, layout.dtype, tokens, c.hidden); }
  PlacedTensor qkv() const { return work("qkv", layout.qkv, DType::fp32, tokens, layout.qkv_width()); }
  PlacedTensor attended() const { return work("attended", layout.attended, layout.dtype, tokens, layout.q_width()); }
  PlacedTensor activated() const { return work("activated", layout.activated, layout.dtype, tokens, c.intermediate); }
  PlacedTensor last() const { return work("last", layout.last, layout.dtype, rows, c.hidden); }
  PlacedTensor ids() const { return {"token_ids", DType::int32, {tokens}, words_[A::token_ids]}; }
  PlacedTensor logits() const { return {"logits", DType::fp32, {rows, c.vocab}, words_[A::logits]}; }
  PlacedTensor next() const { return {"next_token", DType::int32, {rows}, words_[A::next_token]}; }
  PlacedTensor table() const { return {"block_table", DType::int32, {layout.pages}, words_[A::block_table]}; }
  PlacedTensor pages(bool values) const {
    const auto part = static_cast<std::uint64_t>(2 * n + (values ? 1 : 0));
    return {fmt::format("layers.{}.{}_pages", n, values ? "v" : "k"),
            layout.dtype,
            {layout.pages, c.kv_heads, layout.limits.page, c.head_dim},
            words_[A::kv_cache] + part * layout.kv_part_bytes};
  }
  PlacedTensor global(const std::string& name) const { return placed(layout.global(name), "", 0); }
  PlacedTensor weight(const std::string& name) const { return placed(layout.layer(name), prefix(), layer_base()); }
  std::string prefix() const { return fmt::format("layers.{}.", n); }
  std::uint64_t layer_base() const { return layout.first_layer + static_cast<std::uint64_t>(n) * layout.layer_stride; }
  PlacedTensor placed(const models::Placement& p, const std::string& prefix, std::uint64_t base) const {
    return {prefix + p.name, p.dtype, p.shape, words_[A::weights] + base + p.offset};
  }

  std::vector<double> read(const PlacedTensor& t) const {
    std::vector<double> out(static_cast<std::size_t>(t.elements()));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = value_at(hbm_, t.dtype, t.half(static_cast<std::int64_t>(i)));
    return out;
  }
  std::vector<double> vector_or_nothing(const std::string& name) const {
    return layout.has_layer(name) ? read(weight(name)) : std::vector<double>();
  }
  // x [rows, k] times w [n, k] transposed.
  Matrix times(const Matrix& x, const PlacedTensor& w, const std::vector<double>& bias = {}) const {
    return product(x, w.dims[0], bias, [&](std::int64_t row, std::vector<double>& to) {
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = value_at(hbm_, w.dtype, w.half(row * w.dims[1] + static_cast<std::int64_t>(i)));
    });
  }
  Matrix matrix(const PlacedTensor& t) const { return {t.dims[1], read(t)}; }

  // A result of sums or functions; `roundings` of its own type on the way.
  Expected sum(PlacedTensor t, Matrix want, double roundings = 1) const {
    const double own = t.dtype == DType::fp32 ? 2e-5 : roundings * kernels::rounding(t.dtype);
    for (double& v : want.values) v = rounded(t.dtype, v);
    return {std::move(t), std::move(want.values), tolerance_.value_or(own)};
  }
  static Expected same(PlacedTensor t, std::vector<double> want) { return {std::move(t), std::move(want), 0}; }

  Matrix norm(const Matrix& x, const PlacedTensor& w, const std::vector<double>& bias) const {
    return c.family == weights::ModelFamily::gpt2 ? layer_norm(x, read(w), bias, c.norm_eps)
                                                  : rms_norm(x, read(w), c.norm_eps);
  }
  // The angles of the step's tokens, [tokens, head_dim].
  Matrix angles() const {
    const Matrix all{c.head_dim, read(global("rope"))};
    return all.rows(position, tokens);
  }
  // What the cache holds after rows `x` [tokens, kv_heads · head_dim] were put there.
  Expected appended(bool values, const Matrix& x) const {
    const PlacedTensor to = pages(values);
    std::vector<double> want = read(to);
    const std::vector<double> where = read(table());
    const std::int64_t page = layout.limits.page, dim = c.head_dim;
    for (std::int64_t t = 0; t < tokens; ++t)
      for (std::int64_t h = 0; h < c.kv_heads; ++h) {
        const auto p = static_cast<std::int64_t>(where[static_cast<std::size_t>((position + t) / page)]);
        const std::int64_t first = ((p * c.kv_heads + h) * page + (position + t) % page) * dim;
        for (std::int64_t i = 0; i < dim; ++i)
          want[static_cast<std::size_t>(first + i)] = rounded(to.dtype, x.at(t, h * dim + i));
      }
    return sum(to, {dim, std::move(want)});
  }

  const models::Layout& layout;
  const weights::ModelConfig& c;
  std::int64_t n, tokens = 0, position = 0, rows = 0;

 private:
  const std::uint8_t* hbm_;
  StepWords words_;
  std::optional<double> tolerance_;
};

using Results = std::vector<Expected>;

Results attention(const Step& s) {
  const std::int64_t page = s.layout.limits.page, dim = s.c.head_dim;
  const std::vector<double> keys = s.read(s.pages(false)), values = s.read(s.pages(true)), table = s.read(s.table());
  const auto row = [&](std::int64_t head, std::int64_t p) {
    const auto where = static_cast<std::int64_t>(table[static_cast<std::size_t>(p / page)]);
    return static_cast<std::size_t>(((where * s.c.kv_heads + head) * page + p % page) * dim);
  };
  // Queries meet the array in the cache's type: large ones would otherwise be off by more than the softmax forgives.
  Matrix q = s.matrix(s.qkv()).columns(0, s.layout.q_width());
  for (double& v : q.values) v = rounded(s.layout.dtype, v);
  return {s.sum(s.attended(),
                attend(
                    q, s.c.heads, s.c.kv_heads, s.position,
                    [&](std::int64_t h, std::int64_t p) { return keys.data() + row(h, p); },
                    [&](std::int64_t h, std::int64_t p) { return values.data() + row(h, p); }),
                2)};
}

// Queries and keys, perhaps turned, then keys and values into the cache.
Results turn_and_append(const Step& s) {
  const Matrix qkv = s.matrix(s.qkv());
  const std::int64_t q = s.layout.q_width(), kv = s.layout.kv_width();
  Matrix want = qkv;
  turn(want, 0, s.c.heads, s.angles());
  Matrix keys = qkv;
  turn(keys, q, s.c.kv_heads, s.angles());
  return {s.sum(s.qkv(), want), s.appended(false, keys.columns(q, kv)), s.appended(true, qkv.columns(q + kv, kv))};
}

Results append(const Step& s) {
  const Matrix qkv = s.matrix(s.qkv());
  const std::int64_t q = s.layout.q_width(), kv = s.layout.kv_width();
  return {s.appended(false, qkv.columns(q, kv)), s.appended(true, qkv.columns(q + kv, kv))};
}

Results norm_heads(const Step& s) {
  Matrix want = s.matrix(s.qkv());
  norm_parts(want, 0, s.c.heads, s.read(s.weight("attention.q_norm.weight")), s.c.norm_eps);
  norm_parts(want, s.layout.q_width(), s.c.kv_heads, s.read(s.weight("attention.k_norm.weight")), s.c.norm_eps);
  return {s.sum(s.qkv(), want)};
}

Results add_projection(const Step& s, const PlacedTensor& x, const std::string& name) {
  return {s.sum(s.residual(), s.times(s.matrix(x), s.weight(name + ".weight"), s.vector_or_nothing(name + ".bias")) +
                                  s.matrix(s.residual()))};
}

std::vector<ModelOp> layer_ops(const Step& s, bool decode) {
  const bool gpt2 = s.c.family == weights::ModelFamily::gpt2;
  std::vector<ModelOp> ops;
  const auto add = [&](std::string name, std::function<Results()> expected, int kernels = 1) {
    ops.push_back({std::move(name), s.n, kernels, std::move(expected)});
  };
  const auto add_norm = [&](const std::string& name) {
    add(name == "attention_norm" ? "norm before attention" : "norm before the feed-forward part", [s, name] {
      return Results{s.sum(
          s.normed(), s.norm(s.matrix(s.residual()), s.weight(name + ".weight"), s.vector_or_nothing(name + ".bias")))};
    });
  };
  add_norm("attention_norm");
  add("qkv projection", [s] {
    return Results{
        s.sum(s.qkv(), s.times(s.matrix(s.normed()), s.weight("qkv.weight"), s.vector_or_nothing("qkv.bias")))};
  });
  if (s.c.qk_norm)
    add(
        "norm of queries and keys", [s] { return norm_heads(s); }, 2);
  if (!gpt2 && decode) {
    add("rotary positions, append to the cache", [s] { return turn_and_append(s); });
  } else {
    if (!gpt2)
      add("rotary positions", [s] {
        Matrix want = s.matrix(s.qkv());
        turn(want, 0, s.c.heads + s.c.kv_heads, s.angles());
        return Results{s.sum(s.qkv(), want)};
      });
    add("append to the cache", [s] { return append(s); });
  }
  add("attention", [s] { return attention(s); });
  add("output projection", [s] { return add_projection(s, s.attended(), "attention.o"); });
  add_norm("mlp_norm");
  if (gpt2)
    add("up projection, gelu", [s] {
      return Results{s.sum(s.activated(), gelu_tanh(s.times(s.matrix(s.normed()), s.weight("mlp.up.weight"),
                                                            s.vector_or_nothing("mlp.up.bias"))))};
    });
  else
    add("gate and up projections, silu", [s] {
      const Matrix x = s.matrix(s.normed());
      return Results{s.sum(s.activated(),
                           silu(s.times(x, s.weight("mlp.gate.weight"))) * s.times(x, s.weight("mlp.up.weight")), 2)};
    });
  add("down projection", [s] { return add_projection(s, s.activated(), "mlp.down"); });
  return ops;
}

}  // namespace

StepOps ops_of_step(const models::Layout& layout, const std::uint8_t* hbm, const StepWords& arguments, bool decode,
                    std::int64_t n, std::optional<double> tolerance) {
  const Step s(layout, hbm, arguments, n, tolerance);
  const bool gpt2 = layout.config.family == weights::ModelFamily::gpt2;
  StepOps ops;
  ops.before.push_back({"embedding", -1, 1, [s] {
                          const std::vector<double> ids = s.read(s.ids());
                          const PlacedTensor table = s.global("embed.weight");
                          std::vector<double> want;
                          for (const double id : ids) {
                            PlacedTensor row = table;
                            row.address = table.half(static_cast<std::int64_t>(id) * s.c.hidden) / 2;
                            row.dims = {s.c.hidden};
                            const std::vector<double> values = s.read(row);
                            want.insert(want.end(), values.begin(), values.end());
                          }
                          return Results{Step::same(s.residual(), std::move(want))};
                        }});
  if (gpt2)
    ops.before.push_back({"add positions", -1, 1, [s] {
                            const Matrix all = s.matrix(s.global("position.weight"));
                            return Results{
                                s.sum(s.residual(), s.matrix(s.residual()) + all.rows(s.position, s.tokens))};
                          }});
  ops.layer = layer_ops(s, decode);
  ops.after.push_back(
      {"final norm", -1, 1, [s, gpt2] {
         const Matrix tail = s.matrix(s.residual()).rows(s.tokens - s.rows, s.rows);
         return Results{s.sum(s.last(), s.norm(tail, s.global("final_norm.weight"),
                                               gpt2 ? s.read(s.global("final_norm.bias")) : std::vector<double>()))};
       }});
  ops.after.push_back({"logits", -1, 1, [s] {
                         const bool tied = s.c.tie_embeddings;
                         return Results{s.sum(s.logits(), s.times(s.matrix(s.last()),
                                                                  s.global(tied ? "embed.weight" : "lm_head.weight")))};
                       }});
  ops.after.push_back({"argmax", -1, 1, [s] { return Results{Step::same(s.next(), argmax(s.matrix(s.logits())))}; }});
  return ops;
}

std::vector<PlacedTensor> tensors_of_step(const models::Layout& layout, const StepWords& arguments, std::int64_t n) {
  const Step s(layout, nullptr, arguments, std::max<std::int64_t>(n, 0), std::nullopt);
  std::vector<PlacedTensor> out{s.residual(), s.normed(), s.qkv(),    s.attended(), s.activated(),
                                s.last(),     s.ids(),    s.logits(), s.next(),     s.table()};
  for (const models::Placement& p : layout.globals) out.push_back(s.placed(p, "", 0));
  if (n < 0) return out;
  for (const models::Placement& p : layout.per_layer) out.push_back(s.placed(p, s.prefix(), s.layer_base()));
  out.push_back(s.pages(false));
  out.push_back(s.pages(true));
  return out;
}

}  // namespace heddle::app
