// SPDX-License-Identifier: Apache-2.0
// Plan: a piece of work is a block of query rows of one head, with all keys. Pass 1 makes its scores and their maxima,
// pass 2 sums exponentials, pass 3 makes the weights from the scores again and multiplies them with the values.
#include <cmath>

#include "kernels/common/share.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/graph/problems.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr std::int64_t most_columns = 512;           // of keys that one unrolled product takes
constexpr std::int64_t least_blocks_that_share = 4;  // of query rows of a head

// Query rows of a piece: scores of a piece and the next one fit the accumulator and a part of the scratchpad.
std::int64_t query_rows(const Target& t, std::int64_t seq) {
  const std::int64_t room = std::min(t.acc_bytes / 2, t.spm_bytes / 8) / (seq * 4);
  std::int64_t rows = 4 * t.mxu_rows;
  while (rows > 1 && rows > room) rows /= 2;
  return std::min(rows, seq);
}

// Blocks of `size` of seq, the last one perhaps smaller: body(first, length).
template <class F>
void in_blocks(KernelBuilder& k, std::int64_t seq, F body) {
  if (seq <= most_columns) return body(Scalar(0), Extent(seq), Cond(Scalar(0) == 0));
  k.loop((seq + most_columns - 1) / most_columns, [&](Scalar i) {
    const Scalar first = i * most_columns;
    const Extent n =
        seq % most_columns == 0 ? Extent(most_columns) : up_to(min(seq - first, most_columns), most_columns);
    body(first, n, i == 0);
  });
}

}  // namespace

void graph_attention(KernelBuilder& k, const GraphAttention& a) {
  const std::int64_t heads = a.q.extent(0).capacity, seq = a.q.extent(1).capacity, dim = a.q.extent(2).capacity;
  const std::int64_t rows = query_rows(k.target(), seq), blocks = (seq + rows - 1) / rows;
  // Few blocks a head: pieces follow one another and bring their keys each. Many: keys stay for all pieces of a head.
  const bool stay = blocks >= least_blocks_that_share;
  const Share mine(k, stay ? heads : heads * blocks);
  const auto place = [&](const Tensor& t) { return [=](Scalar h, Scalar b) { return t[h].block(0, b, rows); }; };
  const auto column = [&](const RowColumn& t) { return place(t.reshape({heads, seq, 1})); };
  // body(keys or values of the head, step number -> tensor by `place`).
  const auto pieces = [&](const Tensor& whole, auto step) {
    if (stay) {
      k.pipeline<2>(mine.steps(), in([&](Scalar i) { return whole[mine.piece(i)]; }), [&](Spm keys, Step i) {
        const Scalar h = mine.piece(i);
        step(
            Steps(blocks), [h](Scalar b) { return std::pair(h, b); }, &keys);
      });
      return;
    }
    step(
        mine.steps(), [&](Scalar i) { return std::pair(mine.piece(i) / blocks, mine.piece(i) % blocks); },
        static_cast<const Spm*>(nullptr));
  };
  const auto at = [](auto tensor_at, auto where) {
    return [=](Scalar i) {
      const auto [h, b] = where(i);
      return tensor_at(h, b);
    };
  };
  const auto head = [](const Tensor& t, auto where) { return [=](Scalar i) { return t[where(i).first]; }; };
  {
    const auto scope = k.kernel("scores");
    const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
    const auto body = [&](const Spm& q, const Spm& keys, const Spm& scores, const Spm& top) {
      const Acc sums = k.acc({q.extent(0), seq}, fp32, depth(2));
      in_blocks(k, seq, [&](Scalar first, const Extent& n, const Cond&) {
        k.matmul(sums.cols(first, n), q, transposed(keys.rows(first, n)), overwrite);
      });
      k.mul(scores, sums, scale);
      k.rowmax(top, scores);
    };
    pieces(a.k, [&](const Steps& steps, auto where, const Spm* kept) {
      const auto q = in(at(place(a.q), where));
      const auto scores = out(at(place(a.scores), where)), top = out(at(column(a.top), where));
      if (kept != nullptr)
        k.pipeline<2>(steps, q, scores, top, [&](Spm tq, Spm ts, Spm tt) { body(tq, *kept, ts, tt); });
      else
        k.pipeline<2>(steps, q, in(head(a.k, where)), scores, top, body);
    });
  }
  k.barrier();
  graph_sums_of_exp(k, a.scores.reshape({heads * seq, seq}), a.top, a.total);
  k.barrier();
  const auto scope = k.kernel("weighted values");
  const auto body = [&](const Spm& scores, const Spm& top, const Spm& total, const Spm& values, const Spm& o) {
    const Spm shift = k.spm(top.shape(), fp32), inverse = k.spm(top.shape(), fp32);
    const Spm e = k.spm(scores.shape(), fp32);
    const Spm weights = k.spm(scores.shape(), values.dtype(), depth(2));
    const Acc sums = k.acc({scores.extent(0), dim}, fp32, depth(2));
    k.neg(shift, top);
    k.recip(inverse, total);
    k.fused(e, scores, {.fn = isa::VpuFn::exp, .bias = shift});
    k.mul(weights, e, inverse);
    in_blocks(k, seq, [&](Scalar first, const Extent& n, const Cond& is_first) {
      k.matmul(sums, weights.cols(first, n), values.rows(first, n), overwrite_if(is_first));
    });
    k.convert(o, sums);
  };
  pieces(a.v, [&](const Steps& steps, auto where, const Spm* kept) {
    const auto scores = in(at(place(a.scores), where)), top = in(at(column(a.top), where));
    const auto total = in(at(column(a.total), where));
    const auto o = out(at(place(a.o), where));
    if (kept != nullptr)
      k.pipeline<2>(steps, scores, top, total, o, [&](Spm ts, Spm tt, Spm tl, Spm to) { body(ts, tt, tl, *kept, to); });
    else
      k.pipeline<2>(steps, scores, top, total, in(head(a.v, where)), o, body);
  });
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = graph_attention_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "graph_attention");
    const auto heads = at(s, "heads"), seq = at(s, "seq"), dim = at(s, "head_dim");
    const sdk::Shape dims{heads, seq, dim}, column{heads * seq, 1};
    graph_attention(k, {.q = Tensor(k.arg(0), dtype, dims),
                        .k = Tensor(k.arg(1), dtype, dims),
                        .v = Tensor(k.arg(2), dtype, dims),
                        .o = Tensor(k.arg(3), dtype, dims),
                        .scores = Tensor(k.arg(4), dtype, {heads, seq, seq}),
                        .top = Tensor(k.arg(5), fp32, column),
                        .total = Tensor(k.arg(6), fp32, column)});
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
