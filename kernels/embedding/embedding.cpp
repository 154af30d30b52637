// SPDX-License-Identifier: Apache-2.0
// Plan: blocks of tokens are dealt to the cores; a block's ids come to SMEM, one gather brings its rows, one store
// (through the vector unit if the dtype changes) takes them out, while the next block's ids arrive.
#include "kernels/embedding/embedding.hpp"

#include "kernels/common/share.hpp"
#include "kernels/embedding/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void embedding(KernelBuilder& k, const Tensor& ids, const Tensor& table, const Tensor& out) {
  const auto scope = k.kernel("embedding");
  const std::int64_t hidden = table.extent(1).capacity;
  const std::int64_t block = whole_rows(k.target(), ids.extent(0).capacity, hidden * 16);
  k.for_each(ceil_div(ids.size(0), block), [&](Scalar i) {
    const Tensor to = out.block(0, i, block);
    const Smem list = k.smem({to.extent(0)}, int32, depth(2));
    const Spm rows = k.spm({to.extent(0), hidden}, table.dtype(), depth(2));
    k.load(list, ids.block(0, i, block));
    k.gather(rows, table, list);
    k.store(to, rows);
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
