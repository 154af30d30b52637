// SPDX-License-Identifier: Apache-2.0
// Plan: rows are dealt to the cores. argmax walks a row in parts and keeps the best value and its column; a later part
// wins only if it is strictly larger, so the first of equals stays. topk is one instruction on whole rows.
#include "kernels/select/select.hpp"

#include "kernels/common/share.hpp"
#include "kernels/registry/problem.hpp"
#include "kernels/select/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void argmax(KernelBuilder& k, const Tensor& x, const Tensor& index) {
  const auto scope = k.kernel("argmax");
  const std::int64_t cols = x.extent(1).capacity;
  const std::int64_t part = std::min<std::int64_t>(cols, std::min<std::int64_t>(k.target().spm_bytes / 20, 65536));
  const std::int64_t parts = (cols + part - 1) / part;
  const Tensor places = index.reshape({index.extent(0), 1});
  const Share mine(k, x.size(0));
  const Spm best = k.spm({1, 1}, fp32), top = k.spm({1, 1}, fp32);
  const Spm where = k.spm({1, 1}, int32), candidate = k.spm({1, 1}, int32), larger = k.spm({1, 1}, int32);
  auto results = k.pipe({1, 1}, int32, 4);
  const auto load = in([&](Scalar i) { return x.slice(0, mine.piece(i / parts), 1).block(1, i % parts, part); });
  k.pipeline<4>(Steps(mine.count() * parts), load, [&](Spm tx, Step s) {
    const Scalar number = s.index() % parts;
    k.rowmax(top, tx);
    k.argmax(candidate, tx);
    k.if_(
        number == 0,
        [&] {
          k.mov(best, top);
          k.mov(where, candidate);
        },
        [&] {
          k.add(candidate, candidate, number * part);
          k.lt(larger, best, top);
          k.select(where, larger, candidate, where);
          k.max(best, best, top);
        });
    k.if_(number == parts - 1, [&] {
      auto out = results.acquire();
      k.mov(out, where);
      out.end();
      k.copy(places.slice(0, mine.piece(s.index() / parts), 1), results.wait());
    });
  });
}

void topk(KernelBuilder& k, const Tensor& x, const Tensor& values, const Tensor& indices) {
  const auto scope = k.kernel("topk");
  const std::int64_t cols = x.extent(1).capacity, best = values.extent(1).capacity;
  const std::int64_t rows = whole_rows(k.target(), x.extent(0).capacity, cols, 8 + 16 * best / cols);
  const TileGrid xs = x.tiled(rows, cols), vs = values.tiled(rows, best), is = indices.tiled(rows, best);
  const Share mine(k, xs.count());
  k.pipeline(mine.steps(), in([&](Scalar i) { return xs[mine.piece(i)]; }),
             out([&](Scalar i) { return vs[mine.piece(i)]; }), out([&](Scalar i) { return is[mine.piece(i)]; }),
             [&](Spm tx, Spm tv, Spm ti) { k.topk(tv, ti, tx); });
}

namespace {
const KernelRegistration argmax_registration([] {
  KernelDef d = argmax_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "argmax");
    argmax(k, Tensor(k.arg(0), dtype, {at(s, "rows"), at(s, "cols")}), Tensor(k.arg(1), int32, {at(s, "rows")}));
    return k.finish();
  };
  return d;
}());
const KernelRegistration topk_registration([] {
  KernelDef d = topk_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "topk");
    const sdk::Shape best{at(s, "rows"), at(s, "k")};
    topk(k, Tensor(k.arg(0), dtype, {at(s, "rows"), at(s, "cols")}), Tensor(k.arg(1), dtype, best),
         Tensor(k.arg(2), int32, best));
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
