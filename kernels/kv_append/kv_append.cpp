// SPDX-License-Identifier: Apache-2.0
// Plan: the new positions fall into a run of pages; each page's part is one piece of work, dealt to the cores. The
// table's entries for all of them come to SMEM at once. A part's rows come to the scratchpad as they lie, and are
// turned head by head by the strides with which they were put there; only then does the sequencer need the page's
// number.
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
  const Scalar tokens = keys.size(0), row0 = position % page, parts = ceil_div(row0 + tokens, page);
  const std::int64_t most_parts = std::min((keys.extent(0).capacity + 2 * page - 2) / page, table.extent(0).capacity);
  const Smem list = k.smem({most_parts}, int32);
  k.load(list.slice(0, 0, up_to(parts, most_parts)), table.slice(0, position / page, up_to(parts, most_parts)));
  k.for_each(parts, [&](Scalar i) {
    const Scalar begin = max(0, i * page - row0);  // first token of this page's part
    const Scalar row = k.select(i == 0, row0, 0);  // where it goes in the page
    const Extent n = up_to(min(tokens - begin, page - row), most);
    const auto load = [&](const Tensor& from) {
      const Spm rows = k.spm({heads, n, dim}, from.dtype(), depth(6));
      k.copy(rows.transposed(0, 1), from.slice(0, begin, n));
      if (from.dtype() == k_pages.dtype()) return rows;
      const Spm rounded = k.spm({heads, n, dim}, k_pages.dtype(), depth(6));
      k.convert(rounded, rows);
      return rounded;
    };
    const Spm new_keys = load(keys), new_values = load(values);
    const Scalar target_page = k.read(list, i);
    k.store(k_pages.at(0, target_page).slice(1, row, n), new_keys);
    k.store(v_pages.at(0, target_page).slice(1, row, n), new_values);
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
