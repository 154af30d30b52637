// SPDX-License-Identifier: Apache-2.0
// Attention over a paged cache: attend() with a gather a block. The block table comes to the scratchpad once; its
// entries are the gather's row numbers, and the part of a page that belongs to this core's heads is one contiguous run.
#include "kernels/attention/attend.hpp"
#include "kernels/attention/attention.hpp"
#include "kernels/attention/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void paged_attention(KernelBuilder& b, const Tensor& q, const Tensor& k_pages, const Tensor& v_pages,
                     const Tensor& table, const Tensor& o, Scalar position, DType compute) {
  const auto scope = b.kernel("paged_attention");
  const std::int64_t page = k_pages.extent(2).capacity, dim = k_pages.extent(3).capacity;
  const Scalar used = ceil_div(position + q.size(0), page);
  const Spm list = b.spm({table.extent(0).capacity}, int32);
  b.load(list.slice(0, 0, up_to(used, list.capacity(0))), table.slice(0, 0, up_to(used, list.capacity(0))));
  const auto from = [&b, list, page, dim](const Tensor& pages) {
    return [&b, list, page, dim, pages](const Spm& to, Scalar head, Scalar first, const Extent& n, DmaEngine dma) {
      const std::int64_t heads = to.capacity(1) / dim, block = to.capacity(0) / page;
      const Extent count = up_to(ceil_div(n.size, page), block);
      const Spm token_rows = to.reshape({block, page, heads, dim});
      b.gather(token_rows.transposed(1, 2).slice(0, 0, count), pages.slice(1, head, heads),
               list.slice(0, first / page, count), dma);
    };
  };
  attend(b, {.q = q,
             .o = o,
             .kv_heads = k_pages.extent(1).capacity,
             .compute = compute,
             .causal = true,
             .position = position,
             .kv_len = 0,
             .page = page,
             .load_keys = from(k_pages),
             .load_values = from(v_pages)});
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = paged_attention_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "paged_attention");
    const auto page = at(s, "page"), dim = at(s, "head_dim"), used = (at(s, "kv_len") + page - 1) / page;
    // One token is known when the program is written (decode), more only at launch (prefill), as in a model's steps.
    const Extent tokens = at(s, "tokens") == 1 ? Extent(1) : up_to(k.arg(6), at(s, "tokens"));
    const sdk::Shape cache{used + 1, at(s, "kv_heads"), page, dim}, rows{tokens, at(s, "q_heads"), dim};
    paged_attention(k, Tensor(k.arg(0), dtype, rows), Tensor(k.arg(1), dtype, cache), Tensor(k.arg(2), dtype, cache),
                    Tensor(k.arg(3), int32, {used}), Tensor(k.arg(4), dtype, rows), k.arg(5) - tokens.size, dtype);
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
