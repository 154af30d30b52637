// SPDX-License-Identifier: Apache-2.0
// Plan: a core takes some key/value heads and some query tokens; rows are (head, token, query head of the group). Keys
// and values pass by in blocks. The arrays run one block ahead: scores of block i+1 are issued before the weights of
// block i meet the values, so that the vector unit's softmax and the arrays' drain hide behind each other.
// Heads shorter than the array lie side by side in one stationary tile; a head's queries are zero under its neighbours.
#include "kernels/attention/attend.hpp"

#include <cmath>

#include "kernels/attention/online_softmax.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

// Elements [begin, begin + most) of what is there.
Extent part(const Extent& e, std::int64_t begin, std::int64_t most) {
  const std::int64_t room = std::min(most, e.capacity - begin);
  return e.is_static() ? Extent(room) : up_to(max(0, min(e.size - begin, room)), room);
}

// to[m,n] (+)= a[m,k] · b, b [k,n] or (keys) [n,k], in array-sized parts from array `mxu` on.
void product(KernelBuilder& k, const Acc& to, const Spm& a, const Spm& b, bool keys, Mode mode, int mxu) {
  const Target& t = k.target();
  for (std::int64_t n = 0; n < to.capacity(1); n += t.mxu_cols, ++mxu)
    for (std::int64_t d = 0; d < a.capacity(1); d += t.mxu_rows) {
      const Extent ns = part(to.extent(1), n, t.mxu_cols), ds = part(a.extent(1), d, t.mxu_rows);
      const int array = mxu % t.mxu_count;
      if (keys)
        k.load_stationary(transposed(b.rows(n, ns).cols(d, ds)), array);
      else
        k.load_stationary(b.rows(d, ds).cols(n, ns), array);
      k.matmul(to.cols(n, ns), a.cols(d, ds), d == 0 ? mode : Mode(accumulate), array);
    }
}

// [tokens, heads, dim] as [kv heads, tokens, group, dim].
Tensor by_head(const Tensor& t, std::int64_t group) {
  const sdk::Shape shape{t.extent(0), t.extent(1).capacity / group, group, t.extent(2)};
  return Tensor(t.address(), t.dtype(), shape, {t.stride(0), t.stride(1) * group, t.stride(1), t.stride(2)})
      .transposed(0, 1);
}

}  // namespace

void attend(KernelBuilder& k, const Attention& a) {
  const AttentionPlan t = plan_attention(k.target(), a);
  const std::int64_t dim = a.head_dim(), g = a.group(), packs = t.heads / t.pack, width = t.pack * dim;
  const std::int64_t head_rows = t.tokens * g, pack_rows = t.pack * head_rows, rows = t.heads * head_rows;
  const bool ragged_tokens = !a.q.extent(0).is_static() || a.q.extent(0).capacity % t.tokens != 0;
  const Tensor q = by_head(a.q, g), o = by_head(a.o, g);

  auto keys = k.pipe({t.block, t.heads * dim}, a.compute, t.slots);
  auto values = k.pipe({t.block, t.heads * dim}, a.compute, t.slots);
  auto scores = k.pipe<Space::acc>({rows, t.block}, fp32, 2);
  auto weights = k.pipe({rows, t.block}, a.compute, 2);
  const Acc sum = k.acc({rows, width}, fp32);
  const OnlineSoftmax softmax(k, rows, 1.0f / std::sqrt(static_cast<float>(dim)));
  const sdk::Shape split{packs, t.pack, head_rows, dim}, split_wide{packs, t.pack, head_rows, width};

  k.for_each(ceil_div(a.q.size(0), t.tokens) * (a.kv_heads / t.heads), [&](Scalar item) {
    const Scalar head = item % (a.kv_heads / t.heads) * t.heads, token = item / (a.kv_heads / t.heads) * t.tokens;
    const Extent tokens = ragged_tokens ? up_to(min(a.q.size(0) - token, t.tokens), t.tokens) : Extent(t.tokens);
    const Scalar end = a.causal ? a.position + token + tokens.size : a.kv_len;
    const Scalar blocks = ceil_div(end, t.block);
    const auto length = [&](Scalar i) { return up_to(min(end - i * t.block, t.block), t.block); };
    const auto part_of = [&](const Tensor& x) { return x.slice(0, head, t.heads).slice(1, token, tokens); };
    // The part of row `u` of each pack that is its own: [packs, head_rows, dim].
    const auto own = [&](const auto& x, std::int64_t u) {
      return x.reshape(split_wide).at(1, u).slice(2, u * dim, dim);
    };

    const auto load = [&](Scalar i) {
      auto key = keys.acquire();
      a.load_keys(key, head, i * t.block, length(i), keys.dma());
      key.end();
      auto value = values.acquire();
      a.load_values(value, head, i * t.block, length(i), values.dma());
    };
    load(0);
    k.if_(blocks > 1, [&] { load(1); });

    const Spm query = k.spm({rows, width}, a.compute, depth(2));
    const Spm raw = k.spm({t.heads, t.tokens, g, dim}, a.q.dtype(), depth(2));
    if (ragged_tokens) k.iota(raw, 0, 0);
    k.load(raw.slice(1, 0, tokens), part_of(q));
    if (t.pack > 1) k.iota(query, 0, 0);
    for (std::int64_t u = 0; u < t.pack; ++u) k.convert(own(query, u), raw.reshape(split).at(1, u));
    softmax.start();
    k.iota(sum, 0, 0);

    const auto score = [&](Scalar i) {
      const Extent n = length(i);
      const auto s = scores.acquire();
      const auto key = keys.wait();
      for (std::int64_t p = 0; p < packs; ++p)
        product(k, s.rows(p * pack_rows, pack_rows).cols(0, n), query.rows(p * pack_rows, pack_rows),
                key.cols(p * width, width).rows(0, n), true, overwrite, static_cast<int>(p));
    };
    const auto finish = [&](Scalar i) {
      const Extent n = length(i);
      auto s = scores.wait();
      if (a.causal && t.tokens > 1)  // position i·block + column <= position + token + row / g
        k.if_((i + 1) * t.block > a.position + token + 1, [&] {
          const Acc by_row = s.reshape({t.heads, head_rows, t.block}).slice(2, 0, n);
          k.affine_select(by_row, by_row, (a.position + token - i * t.block) * g, 1, static_cast<int>(-g), -INFINITY);
        });
      auto w = weights.acquire();
      softmax.block(w.cols(0, n), s.cols(0, n));
      s.end();
      w.end();
      k.mul(sum, sum, softmax.shrink());
      const auto weight = weights.wait(), value = values.wait();
      for (std::int64_t p = 0; p < packs; ++p)
        product(k, sum.rows(p * pack_rows, pack_rows), weight.rows(p * pack_rows, pack_rows).cols(0, n),
                value.cols(p * width, width).rows(0, n), false, accumulate, static_cast<int>(p));
    };
    score(0);
    k.loop(blocks - 1, [&](Scalar i) {
      k.if_(i + 2 < blocks, [&] { load(i + 2); });
      score(i + 1);
      finish(i);
    });
    finish(blocks - 1);

    const Spm out = k.spm({t.heads, t.tokens, g, dim}, a.o.dtype(), depth(2));
    const Spm inverse = k.spm({rows, 1}, fp32);
    k.recip(inverse, softmax.total());
    for (std::int64_t u = 0; u < t.pack; ++u)
      k.mul(out.reshape(split).at(1, u), own(sum, u), inverse.reshape({packs, t.pack, head_rows, 1}).at(1, u));
    k.store(part_of(o), out.slice(1, 0, tokens));
  });
}

}  // namespace heddle::kernels
