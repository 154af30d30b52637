// SPDX-License-Identifier: Apache-2.0
// Plan: a piece of work is some key/value heads and some query tokens; its rows are (head, token, query head of the
// group). Keys and values pass by in blocks, loaded several steps ahead. The arrays run one step ahead of the
// softmax: the next step's scores are issued before this step's weights meet the values, so that the vector unit
// and the arrays' drain hide behind each other, across the pieces too. Heads shorter than the array lie side by side in
// one stationary tile; a head's queries are zero under its neighbours.
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

// [tokens, heads, dim] as [tokens, kv heads, group, dim].
Tensor grouped(const Tensor& t, std::int64_t group) {
  const sdk::Shape shape{t.extent(0), t.extent(1).capacity / group, group, t.extent(2)};
  return Tensor(t.address(), t.dtype(), shape, {t.stride(0), t.stride(1) * group, t.stride(1), t.stride(2)});
}

// A piece of work, and how far the keys that it sees reach.
struct Piece {
  Scalar head, token;  // the first of each
  Extent tokens;
  Scalar end;  // positions before it are seen
};

class Pieces {
 public:
  Pieces(const Attention& a, const AttentionPlan& t, bool skip)
      : count(ceil_div(a.q.size(0), t.tokens) * (a.kv_heads / t.heads)),
        even(a.q.extent(0).is_static() && a.q.extent(0).capacity % t.tokens == 0),
        a_(a),
        t_(t),
        skip_(skip) {}
  Piece operator[](Scalar i) const {
    const std::int64_t groups = a_.kv_heads / t_.heads;
    const Scalar token = a_.decode() ? Scalar(0) : i / groups * t_.tokens;
    return at(a_.decode() ? i * t_.heads : i % groups * t_.heads, token);
  }
  Piece at(Scalar head, Scalar token) const {
    const Extent tokens = even ? Extent(t_.tokens) : up_to(min(a_.q.size(0) - token, t_.tokens), t_.tokens);
    const Scalar seen = skip_ ? token + tokens.size : a_.q.size(0);  // else what the mask hides is computed as well
    return {head, token, tokens, a_.causal ? a_.position + seen : a_.kv_len};
  }
  const Scalar count;
  const bool even;  // all pieces have the same tokens

 private:
  const Attention& a_;
  const AttentionPlan& t_;
  bool skip_;
};

// Goes through this core's steps: the blocks of keys of one piece after the other's.
class Walk {
 public:
  Walk(KernelBuilder& k, const Pieces& pieces, std::int64_t block)
      : k_(k),
        pieces_(pieces),
        size_(block),
        piece_(k, k.core_id()),
        turn_(k, 0),
        head_(k, 0),
        token_(k, 0),
        block_(k, 0) {
    enter();
  }
  Cond inside() const { return piece_.get() < pieces_.count; }
  Scalar turn() const { return turn_; }  // pieces before this one
  Scalar block() const { return block_; }
  Piece piece() const { return pieces_.at(head_, token_); }
  void next() {
    block_ += 1;
    k_.if_(block_.get() * size_ >= piece().end, [&] {
      piece_ += k_.num_cores();
      turn_ += 1;
      enter();
    });
  }

 private:
  void enter() {
    const Piece p = pieces_[piece_];
    head_ = p.head;
    token_ = p.token;
    block_ = 0;
  }
  KernelBuilder& k_;
  const Pieces& pieces_;
  std::int64_t size_;
  Var piece_, turn_, head_, token_, block_;
};

}  // namespace

void attend(KernelBuilder& k, const Attention& a) {
  const AttentionPlan t = plan_attention(k.target(), a);
  const Pieces pieces(a, t, !k.target().ragged_attention);
  const std::int64_t dim = a.head_dim(), g = group_rows(k.target(), a), packs = t.heads / t.pack, width = t.pack * dim;
  const std::int64_t head_rows = t.tokens * g, pack_rows = t.pack * head_rows, rows = t.heads * head_rows;
  const sdk::Shape by_token{t.heads, t.tokens, g, dim}, split{packs, t.pack, head_rows, dim};
  const std::int64_t there = a.group();  // of the g rows that a group has
  const Tensor q = grouped(a.q, there), o = grouped(a.o, there);
  const auto of_piece = [&](const Tensor& x, const Piece& p) {
    return x.slice(0, p.token, p.tokens).slice(1, p.head, t.heads);
  };
  const auto length = [&](const Piece& p, Scalar i) { return up_to(min(p.end - i * t.block, t.block), t.block); };
  // The part of each pack's row number u that is its own: [packs, head_rows, dim].
  const auto own = [&](const auto& x, std::int64_t u) {
    return x.reshape({packs, t.pack, head_rows, width}).at(1, u).slice(2, u * dim, dim);
  };

  auto queries = k.pipe(by_token, a.q.dtype(), 2);
  auto keys = k.pipe({t.block, t.heads * dim}, a.compute, t.slots);
  auto values = k.pipe({t.block, t.heads * dim}, a.compute, t.slots);
  auto scores = k.pipe<Space::acc>({rows, t.block}, fp32, 2);
  auto weights = k.pipe({rows, t.block}, a.compute, 2);
  const Spm query = k.spm({2 * rows, width}, a.compute);  // of a piece and of the one after it
  auto sums = k.pipe<Space::acc>({rows, width}, fp32, 2);
  auto inverses = k.ring({rows, 1}, fp32, 2);
  auto results = k.pipe(by_token, a.o.dtype(), 2);
  const OnlineSoftmax softmax(k, rows, 1.0f / std::sqrt(static_cast<float>(dim)));

  Walk loads(k, pieces, t.block);
  const auto load = [&] {
    k.if_(loads.inside(), [&] {
      const Piece p = loads.piece();
      const Scalar i = loads.block();
      auto key = keys.acquire();
      a.load_keys(key, p.head, i * t.block, length(p, i), keys.dma());
      key.end();
      auto value = values.acquire();
      a.load_values(value, p.head, i * t.block, length(p, i), values.dma());
      value.end();
      loads.next();
    });
  };

  const auto fetch = [&](const Scalar& number) {
    k.if_(number < pieces.count, [&] {
      const Piece p = pieces[number];
      const auto raw = queries.acquire();
      if (there < g) k.iota(raw.slice(2, there, g - there), 0, 0);
      k.copy(raw.slice(1, 0, p.tokens).slice(2, 0, there).transposed(0, 1), of_piece(q, p), queries.dma());
    });
  };
  Var prepared(k, 0);
  const auto prepare = [&](const Scalar& number) {
    k.if_(number < pieces.count, [&] {
      const Extent tokens = pieces[number].tokens;
      const Extent own_rows = tokens.is_static() ? Extent(head_rows) : up_to(tokens.size * g, head_rows);
      const Spm to = query.rows(prepared.get(), rows);
      const auto raw = queries.wait();
      for (std::int64_t u = 0; u < t.pack; ++u)
        k.convert(own(to, u).slice(1, 0, own_rows), raw.reshape(split).at(1, u).slice(1, 0, own_rows));
      prepared = rows - prepared.get();
    });
  };

  Walk scored(k, pieces, t.block);
  const auto score = [&] {
    k.if_(scored.inside(), [&] {
      const Extent n = length(scored.piece(), scored.block());
      const Spm a_rows = query.rows((scored.turn() & 1) * rows, rows);
      const auto s = scores.acquire();
      const auto key = keys.wait();
      for (std::int64_t p = 0; p < packs; ++p)
        product(k, s.rows(p * pack_rows, pack_rows).cols(0, n), a_rows.rows(p * pack_rows, pack_rows),
                key.cols(p * width, width).rows(0, n), true, overwrite, static_cast<int>(p));
      scored.next();
    });
  };

  const auto soften = [&](const Piece& p, Scalar i) {
    const Extent n = length(p, i);
    const auto s = scores.wait();
    const auto w = weights.acquire();
    const bool ends_there = t.tokens == 1 && !k.target().ragged_attention;  // at the one token that a piece has
    if (a.causal && !a.decode() && !ends_there)  // position i * block + column <= position + token + row / g
      k.if_((i + 1) * t.block > a.position + p.token + 1, [&] {
        const Acc by_row = s.reshape({t.heads, head_rows, t.block}).slice(2, 0, n);
        k.affine_select(by_row, by_row, (a.position + p.token - i * t.block) * g, 1, static_cast<int>(-g), -INFINITY);
      });
    softmax.block(w.cols(0, n), s.cols(0, n));
  };

  const auto weigh = [&](const Acc& sum, const Extent& n) {
    k.mul(sum, sum, softmax.shrink());
    const auto weight = weights.wait();
    const auto value = values.wait();
    for (std::int64_t p = 0; p < packs; ++p)
      product(k, sum.rows(p * pack_rows, pack_rows), weight.rows(p * pack_rows, pack_rows).cols(0, n),
              value.cols(p * width, width).rows(0, n), false, accumulate, static_cast<int>(p));
  };

  k.loop(t.slots - 1, [&](Scalar) { load(); });
  if (t.pack > 1 || !pieces.even) k.iota(query, 0, 0);  // zero under the neighbours, and in rows that hold no token
  fetch(k.core_id());
  fetch(k.core_id() + k.num_cores());
  prepare(k.core_id());
  score();
  const auto finish = [&](const Piece& p) {
    const auto total = sums.wait();
    const auto inverse = inverses.wait();
    auto out = results.acquire();
    for (std::int64_t u = 0; u < t.pack; ++u)
      k.mul(out.reshape(split).at(1, u), own(total, u), inverse.reshape({packs, t.pack, head_rows, 1}).at(1, u));
    out.end();
    k.copy(of_piece(o, p), results.wait().slice(1, 0, p.tokens).slice(2, 0, there).transposed(0, 1));
  };
  Var last(k, -1);
  k.for_each(pieces.count, [&](Scalar number) {
    const Piece p = pieces[number];
    fetch(number + 2 * k.num_cores());
    prepare(number + k.num_cores());
    softmax.start();
    const auto sum = sums.acquire();
    k.iota(sum, 0, 0);
    k.loop(ceil_div(p.end, t.block), [&](Scalar i) {
      load();
      score();
      soften(p, i);
      weigh(sum, length(p, i));
      k.if_(i == 0 && last.get() >= 0, [&] { finish(pieces[last]); });
    });
    const auto inverse = inverses.acquire();
    k.recip(inverse, softmax.total());
    last = number;
  });
  k.if_(last.get() >= 0, [&] { finish(pieces[last]); });
}

}  // namespace heddle::kernels
