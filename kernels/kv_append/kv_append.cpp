// SPDX-License-Identifier: Apache-2.0
// Plan: the new positions fall into a run of pages; each page's part is one piece of work, dealt to the cores. Its rows
// come to the scratchpad head by head (the transposition is in the strides) and leave into the page.
#include "kernels/kv_append/kv_append.hpp"

#include "kernels/common/share.hpp"
#include "kernels/kv_append/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void kv_append(KernelBuilder& k, const Tensor& keys, const Tensor& values, const Tensor& k_pages, const Tensor& v_pages,
               const Tensor& table, Scalar position) {
  const auto scope = k.kernel("kv_append");
  const std::int64_t page = k_pages.extent(2).capacity, heads = keys.extent(1).capacity, dim = keys.extent(2).capacity;
  const std::int64_t most = std::min(page, keys.extent(0).capacity);
  const Scalar tokens = keys.size(0), row0 = position % page;
  k.for_each(ceil_div(row0 + tokens, page), [&](Scalar i) {
    const Scalar begin = max(0, i * page - row0);  // first token of this page's part
    const Scalar row = k.select(i == 0, row0, 0);  // where it goes in the page
    const Extent n = up_to(min(tokens - begin, page - row), most);
    const Smem where = k.smem({1}, int32, depth(2));
    k.load(where, table.slice(0, position / page + i, 1));
    const Scalar target_page = k.read(where);
    for (const auto& [from, pages] : {std::pair(keys, k_pages), std::pair(values, v_pages)}) {
      const Tensor part = from.slice(0, begin, n).transposed(0, 1);  // [heads, n, dim]
      const Spm rows = k.spm({heads, n, dim}, from.dtype(), depth(2));
      k.load(rows, part);
      k.store(pages.at(0, target_page).slice(1, row, n), rows);
    }
  });
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = kv_append_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "kv_append");
    const auto heads = at(s, "kv_heads"), dim = at(s, "head_dim"), page = at(s, "page");
    const std::int64_t pages = (at(s, "position") + at(s, "tokens") + page - 1) / page;
    const sdk::Shape rows{up_to(k.arg(6), at(s, "tokens")), heads, dim}, cache{pages, heads, page, dim};
    kv_append(k, Tensor(k.arg(0), dtype, rows), Tensor(k.arg(1), dtype, rows), Tensor(k.arg(2), dtype, cache),
              Tensor(k.arg(3), dtype, cache), Tensor(k.arg(4), int32, {pages}), k.arg(5));
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
