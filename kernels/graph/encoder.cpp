// SPDX-License-Identifier: Apache-2.0
// Plan: six products with what follows them elementwise as their epilogues, attention, two norms, one after the other.
#include "kernels/gemm/gemm.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/graph/problems.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

// c = sum + bias[n], stored [heads, rows, dim] as attention reads it. Tiles of c hold whole heads.
Epilogue heads_apart(const Tensor& by_head, const Tensor& bias) {
  return {[by_head, bias](KernelBuilder& k, const Tensor& c) -> Finish {
    const Spm row = k.spm({1, c.extent(1)}, fp32, depth(2));
    k.load(row, bias.slice(0, c.begin(1), c.extent(1)).unsqueeze(), on_dma(k.target().dma_engines - 1));
    return [&k, by_head, c, row](const Acc& sum) {
      const std::int64_t dim = by_head.extent(2).capacity;
      const Spm tile = k.spm(sum.shape(), by_head.dtype(), depth(2));
      k.add(tile, sum, row);
      for (std::int64_t j = 0; j < c.extent(1).capacity; j += dim)
        k.if_(c.size(1) > j, [&] {
          k.store(by_head[c.begin(1) / dim + j / dim].slice(0, c.begin(0), c.extent(0)), tile.cols(j, dim));
        });
    };
  }};
}

isa::ProgramImage build(const Target& target, const Shape& s, DType dtype) {
  KernelBuilder k(target, "graph_encoder");
  const auto tokens = at(s, "tokens"), heads = at(s, "heads"), dim = at(s, "head_dim"), inner = at(s, "intermediate");
  const std::int64_t hidden = heads * dim;
  const sdk::Shape dims{tokens, hidden}, column{tokens, 1};
  const auto arg = [&](int i, sdk::Shape shape) { return Tensor(k.arg(i), dtype, std::move(shape)); };
  const auto vector = [&](int argument, std::int64_t number) {
    return Tensor(k.arg(argument), fp32, {argument == 7 ? 5 : 4, hidden})[Scalar(number)];
  };
  const Tensor x = arg(0, dims), y = arg(10, dims), q = arg(11, dims), key = arg(12, dims), v = arg(13, dims);
  const Tensor o = arg(14, dims), sum = arg(18, dims), h = arg(19, dims), f = arg(20, {tokens, inner});
  const auto product = [&](const Tensor& a, int weights, const Tensor& c, Epilogue epilogue) {
    gemm(k, {a, arg(weights, {a.extent(1), c.extent(1)}), c, false, std::move(epilogue)});
  };
  const auto norm = [&](std::int64_t number, const Tensor& to) {
    graph_layernorm(k, {.x = sum,
                        .weight = vector(9, 2 * number),
                        .bias = vector(9, 2 * number + 1),
                        .y = to,
                        .mean = Tensor(k.arg(21), fp32, column),
                        .scale = Tensor(k.arg(22), fp32, column),
                        .z = arg(23, dims),
                        .eps = 1e-5f});
    k.barrier();
  };
  const auto by_head = [&](const Tensor& t) {
    return Tensor(t.address(), dtype, {heads, tokens, dim}, {Scalar(dim), Scalar(hidden), Scalar(1)});
  };

  // Where a head never lies in two tiles, however the product cuts its columns.
  const bool apart = target.mxu_cols % dim == 0 && dim % 8 == 0 && hidden % (target.cores * dim) == 0;
  const auto projection = [&](int weights, const Tensor& to, const Tensor& bias) {
    product(x, weights, to, apart ? heads_apart(to.reshape({heads, tokens, dim}), bias) : add_bias(bias));
  };
  const auto operand = [&](const Tensor& t) { return apart ? t.reshape({heads, tokens, dim}) : by_head(t); };
  projection(1, q, vector(7, 0));
  projection(2, key, vector(7, 1));
  projection(3, v, vector(7, 2));
  k.barrier();
  const sdk::Shape rows{heads * tokens, 1};
  graph_attention(k, {.q = operand(q),
                      .k = operand(key),
                      .v = operand(v),
                      .o = by_head(o),
                      .scores = arg(15, {heads, tokens, tokens}),
                      .top = Tensor(k.arg(16), fp32, rows),
                      .total = Tensor(k.arg(17), fp32, rows)});
  k.barrier();
  product(o, 4, sum, add_residual(x, vector(7, 3)));
  k.barrier();
  norm(0, h);
  product(h, 5, f, gelu_of_bias(Tensor(k.arg(8), fp32, {inner})));
  k.barrier();
  product(f, 6, sum, add_residual(h, vector(7, 4)));
  k.barrier();
  norm(1, y);
  return k.finish();
}

const KernelRegistration registration([] {
  KernelDef d = graph_encoder_problem();
  d.build = build;
  return d;
}());

}  // namespace
}  // namespace heddle::kernels
