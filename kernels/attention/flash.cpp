// SPDX-License-Identifier: Apache-2.0
// Flash attention over keys and values that lie in one piece: attend() with plain copies.
#include "kernels/attention/attend.hpp"
#include "kernels/attention/attention.hpp"
#include "kernels/attention/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void flash_attention(KernelBuilder& b, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& o, bool causal,
                     DType compute) {
  const auto scope = b.kernel("flash_attention");
  const std::int64_t dim = q.extent(2).capacity;
  const auto from = [&b, dim, compute](const Tensor& x) {
    return [&b, dim, compute, x](const Spm& to, Scalar head, Scalar first, const Extent& n, DmaEngine dma) {
      const std::int64_t heads = to.capacity(1) / dim, block = to.capacity(0);
      const Tensor rows = x.slice(0, first, n).slice(1, head, heads);
      if (x.dtype() == compute) {
        b.copy(to.reshape({block, heads, dim}).slice(0, 0, n), rows, dma);
      } else {
        const Spm wide = b.spm({block, heads, dim}, x.dtype(), depth(2));
        b.copy(wide.slice(0, 0, n), rows, dma);
        b.convert(to.reshape({block, heads, dim}).slice(0, 0, n), wide.slice(0, 0, n));
      }
    };
  };
  attend(b, {.q = q,
             .o = o,
             .kv_heads = k.extent(1).capacity,
             .compute = compute,
             .causal = causal,
             .position = k.size(0) - q.size(0),
             .kv_len = k.size(0),
             .page = 1,
             .load_keys = from(k),
             .load_values = from(v)});
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = flash_attention_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "flash_attention");
    const auto dim = at(s, "head_dim");
    const sdk::Shape queries{at(s, "q_len"), at(s, "q_heads"), dim}, keys{at(s, "kv_len"), at(s, "kv_heads"), dim};
    flash_attention(k, Tensor(k.arg(0), dtype, queries), Tensor(k.arg(1), dtype, keys), Tensor(k.arg(2), dtype, keys),
                    Tensor(k.arg(3), dtype, queries), at(s, "causal") != 0, dtype);
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
