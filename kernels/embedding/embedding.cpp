// SPDX-License-Identifier: Apache-2.0
// Plan: the ids come to the scratchpad at once; then blocks of tokens are dealt to the cores: one gather brings a
// block's rows, one store (through the vector unit if the dtype changes) takes them out, several blocks under way.
#include "kernels/embedding/embedding.hpp"

#include "kernels/common/share.hpp"
#include "kernels/embedding/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void embedding(KernelBuilder& k, const Tensor& ids, const Tensor& table, const Tensor& out) {
  const auto scope = k.kernel("embedding");
  const std::int64_t hidden = table.extent(1).capacity, most = ids.extent(0).capacity;
  const std::int64_t block = whole_rows(k.target(), most, hidden, 24);
  const Spm list = k.spm({most}, int32);
  k.load(list.slice(0, 0, ids.extent(0)), ids);
  k.for_each(ceil_div(ids.size(0), block), [&](Scalar i) {
    const Tensor to = out.block(0, i, block);
    const Spm rows = k.spm({to.extent(0), hidden}, table.dtype(), depth(4));
    const std::int64_t half = (block + 1) / 2;  // through two engines: one alone does not fill a fast memory
    for (const std::int64_t begin : {std::int64_t{0}, half}) {
      const std::int64_t most_here = begin == 0 ? half : block - half;
      if (most_here == 0) continue;
      const Extent n = up_to(max(0, min(to.size(0) - begin, most_here)), most_here);
      k.gather(rows.rows(begin, n), table, list.slice(0, i * block + begin, n));
    }
    if (to.dtype() == table.dtype()) {
      k.store(to, rows);
    } else {
      const Spm converted = k.spm({to.extent(0), hidden}, to.dtype(), depth(2));
      k.convert(converted, rows);
      k.store(to, converted);
    }
  });
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = embedding_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "embedding");
    const auto tokens = at(s, "tokens"), hidden = at(s, "hidden");
    embedding(k, Tensor(k.arg(0), int32, {tokens}), Tensor(k.arg(1), dtype, {at(s, "vocab"), hidden}),
              Tensor(k.arg(2), dtype, {tokens, hidden}));
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
