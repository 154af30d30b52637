// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>

#include "kernels/attention/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
namespace {

using Element = std::function<double(std::int64_t position, std::int64_t column)>;

// One row of attention: softmax(q · keysᵀ / sqrt(dim)) · values over `length` positions.
std::vector<double> attend(const std::vector<double>& q, const Element& key, const Element& value,
                           std::int64_t length) {
  const auto dim = static_cast<std::int64_t>(q.size());
  std::vector<double> scores(static_cast<std::size_t>(length)), out(q.size());
  double top = -INFINITY, sum = 0;
  for (std::int64_t p = 0; p < length; ++p) {
    double dot = 0;
    for (std::int64_t i = 0; i < dim; ++i) dot += q[static_cast<std::size_t>(i)] * key(p, i);
    scores[static_cast<std::size_t>(p)] = dot / std::sqrt(static_cast<double>(dim));
    top = std::fmax(top, scores[static_cast<std::size_t>(p)]);
  }
  for (double& s : scores) sum += s = std::exp(s - top);
  for (std::int64_t p = 0; p < length; ++p)
    for (std::int64_t i = 0; i < dim; ++i)
      out[static_cast<std::size_t>(i)] += scores[static_cast<std::size_t>(p)] / sum * value(p, i);
  return out;
}

void attend_head(const HostTensor& q, HostTensor& o, std::int64_t row, std::int64_t dim, const Element& key,
                 const Element& value, std::int64_t length) {
  std::vector<double> query(static_cast<std::size_t>(dim));
  for (std::int64_t i = 0; i < dim; ++i) query[static_cast<std::size_t>(i)] = q.get(row * dim + i);
  const std::vector<double> out = attend(query, key, value, length);
  for (std::int64_t i = 0; i < dim; ++i) o.set(row * dim + i, out[static_cast<std::size_t>(i)]);
}

void flash_reference(const Shape& s, std::vector<HostTensor>& t) {
  const auto q_heads = at(s, "q_heads"), kv_heads = at(s, "kv_heads"), dim = at(s, "head_dim");
  const auto q_len = at(s, "q_len"), kv_len = at(s, "kv_len");
  for (std::int64_t i = 0; i < q_len; ++i)
    for (std::int64_t h = 0; h < q_heads; ++h) {
      const std::int64_t kv = h / (q_heads / kv_heads);
      const auto element = [&](const HostTensor& tensor) {
        return [&tensor, kv, kv_heads, dim](std::int64_t p, std::int64_t c) {
          return tensor.get((p * kv_heads + kv) * dim + c);
        };
      };
      const std::int64_t seen = at(s, "causal") != 0 ? kv_len - q_len + i + 1 : kv_len;
      attend_head(t[0], t[3], i * q_heads + h, dim, element(t[1]), element(t[2]), seen);
    }
}

void paged_reference(const Shape& s, std::vector<HostTensor>& t) {
  const auto q_heads = at(s, "q_heads"), kv_heads = at(s, "kv_heads"), dim = at(s, "head_dim"), page = at(s, "page");
  const auto tokens = at(s, "tokens"), kv_len = at(s, "kv_len");
  for (std::int64_t row = 0; row < tokens * q_heads; ++row) {
    const std::int64_t kv = row % q_heads / (q_heads / kv_heads);
    const auto element = [&](const HostTensor& pages) {
      return [&pages, &t, kv, kv_heads, dim, page](std::int64_t p, std::int64_t c) {
        const auto where = static_cast<std::int64_t>(t[3].get(p / page));
        return pages.get(((where * kv_heads + kv) * page + p % page) * dim + c);
      };
    };
    attend_head(t[0], t[4], row, dim, element(t[1]), element(t[2]), kv_len - tokens + 1 + row / q_heads);
  }
}

double attention_tolerance(DType dtype) { return dtype == DType::fp32 ? 2e-5 : 2 * rounding(dtype); }

}  // namespace

KernelDef flash_attention_problem() {
  KernelDef d;
  d.name = "flash_attention";
  d.summary = "softmax(q kᵀ) v without storing the scores, causal or full, grouped heads";
  d.params = {{"q_heads", 32, 1, "query heads"},        {"kv_heads", 8, 1, "key and value heads; divides q_heads"},
              {"q_len", 512, 1, "query tokens"},        {"kv_len", 512, 1, "key tokens; at least q_len if causal"},
              {"head_dim", 128, 1, "length of a head"}, {"causal", 1, 0, "1: no key after the query"}};
  d.uses_mxu = true;
  d.dtypes = {DType::bf16, DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    const auto dim = at(s, "head_dim");
    const std::vector<std::int64_t> q{at(s, "q_len"), at(s, "q_heads"), dim},
        kv{at(s, "kv_len"), at(s, "kv_heads"), dim};
    return std::vector<TensorSpec>{{"q", dtype, q, Role::input, {}},
                                   {"k", dtype, kv, Role::input, {}},
                                   {"v", dtype, kv, Role::input, {}},
                                   {"o", dtype, q, Role::output, {}}};
  };
  d.reference = flash_reference;
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) {
    const auto q = static_cast<double>(at(s, "q_len")), kv = static_cast<double>(at(s, "kv_len"));
    const double pairs = at(s, "causal") != 0 ? q * (kv - (q - 1) / 2) : q * kv;
    return Work{2 * pairs * static_cast<double>(at(s, "q_heads") * at(s, "head_dim")), dtype,
                bytes_once(tensors(s, dtype))};
  };
  d.tolerance = attention_tolerance;
  const auto shape = [](std::int64_t qh, std::int64_t kvh, std::int64_t q, std::int64_t kv, std::int64_t dim,
                        std::int64_t c) {
    return Shape{{"q_heads", qh}, {"kv_heads", kvh}, {"q_len", q}, {"kv_len", kv}, {"head_dim", dim}, {"causal", c}};
  };
  d.test_shapes = {shape(1, 1, 1, 1, 64, 1),     shape(3, 1, 5, 5, 64, 1),     shape(9, 3, 67, 67, 64, 1),
                   shape(4, 4, 130, 130, 64, 0), shape(4, 2, 33, 161, 128, 1), shape(2, 1, 128, 256, 32, 1)};
  return d;
}

KernelDef paged_attention_problem() {
  KernelDef d;
  d.name = "paged_attention";
  d.summary = "attention of the newest tokens over a paged KV cache, through its block table";
  d.params = {{"q_heads", 32, 1, "query heads"},
              {"kv_heads", 8, 1, "key and value heads; divides q_heads"},
              {"kv_len", 8192, 1, "positions so far"},
              {"head_dim", 128, 1, "length of a head"},
              {"page", 64, 1, "positions a page"},
              {"tokens", 1, 1, "query tokens, the last of the sequence; at most kv_len"}};
  d.uses_mxu = true;
  d.dtypes = {DType::bf16, DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    const auto kv_heads = at(s, "kv_heads"), page = at(s, "page"), dim = at(s, "head_dim");
    const std::int64_t used = (at(s, "kv_len") + page - 1) / page, pages = used + 1;
    // Pages in an order that is neither rising nor falling: 7 is coprime to most counts; the spare page stays unused.
    const auto scattered = [used](std::int64_t i, std::uint64_t) {
      return static_cast<double>(used % 7 == 0 ? used - 1 - i : i * 7 % used);
    };
    const std::vector<std::int64_t> q{at(s, "tokens"), at(s, "q_heads"), dim}, kv{pages, kv_heads, page, dim};
    return std::vector<TensorSpec>{{"q", dtype, q, Role::input, {}},
                                   {"k_pages", dtype, kv, Role::input, {}},
                                   {"v_pages", dtype, kv, Role::input, {}},
                                   {"table", DType::int32, {used}, Role::input, scattered},
                                   {"o", dtype, q, Role::output, {}}};
  };
  d.extra_arguments = [](const Shape& s) {
    std::vector<std::uint64_t> arguments{static_cast<std::uint64_t>(at(s, "kv_len"))};
    if (at(s, "tokens") > 1) arguments.push_back(static_cast<std::uint64_t>(at(s, "tokens")));
    return arguments;
  };
  d.reference = paged_reference;
  d.work = [](const Shape& s, DType dtype) {
    const auto kv_len = static_cast<double>(at(s, "kv_len")), dim = static_cast<double>(at(s, "head_dim"));
    const auto heads = static_cast<double>(at(s, "q_heads")), kv_heads = static_cast<double>(at(s, "kv_heads"));
    const auto tokens = static_cast<double>(at(s, "tokens"));
    const double element = static_cast<double>(bits(dtype)) / 8, pairs = tokens * (kv_len - (tokens - 1) / 2);
    return Work{
        2 * pairs * heads * dim, dtype,
        2 * element * dim * (kv_len * kv_heads + tokens * heads) + 4 * kv_len / static_cast<double>(at(s, "page"))};
  };
  d.tolerance = attention_tolerance;
  const auto shape = [](std::int64_t qh, std::int64_t kvh, std::int64_t kv, std::int64_t dim, std::int64_t page,
                        std::int64_t tokens) {
    return Shape{{"q_heads", qh},   {"kv_heads", kvh}, {"kv_len", kv},
                 {"head_dim", dim}, {"page", page},    {"tokens", tokens}};
  };
  d.test_shapes = {shape(1, 1, 1, 64, 64, 1),     shape(9, 3, 65, 64, 64, 1),   shape(9, 3, 200, 64, 16, 1),
                   shape(8, 8, 130, 64, 64, 1),   shape(8, 2, 300, 128, 64, 1), shape(4, 1, 1000, 64, 64, 1),
                   shape(2, 2, 64, 32, 64, 1),    shape(9, 3, 67, 64, 16, 67),  shape(4, 2, 161, 128, 64, 5),
                   shape(3, 3, 200, 64, 64, 130), shape(6, 2, 2, 32, 16, 2)};
  return d;
}

}  // namespace heddle::kernels
