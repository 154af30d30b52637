// SPDX-License-Identifier: Apache-2.0
// Plan: rope and kv_append of one token in one pass, with no trip of the keys through memory and no barrier between.
// Each core takes a block of the query heads and one of the key-value heads; the operations on each element, and so the
// bits, are those of kernels::rope and kernels::kv_append.
#include "kernels/rope/rope.hpp"
#include "models/decoder/step.hpp"

namespace heddle::models {
using namespace sdk;
namespace {

// x [1, heads, dim] turned by the angles [1, dim], cosines in the left half and sines in the right.
Spm turned(KernelBuilder& k, const Tensor& x, const Spm& angles) {
  const Spm in = k.spm(x.shape(), fp32), out = k.spm(x.shape(), fp32);
  k.load(in, x);
  kernels::turn(k, out, in, angles);
  return out;
}

void turn_and_store(const Step& s, Scalar n) {
  KernelBuilder& k = s.k;
  const auto scope = k.kernel("turn_and_append");
  const weights::ModelConfig& c = s.layout.config;
  const std::int64_t page = s.layout.limits.page;
  // This core's block of the heads, which may be none.
  const auto mine = [&](const Tensor& x, int d) {
    const std::int64_t heads = x.extent(d).capacity, cores = k.target().cores, most = (heads + cores - 1) / cores;
    const Scalar begin = k.core_id() * most;
    return x.slice(d, begin, most * cores == heads ? Extent(most) : up_to(max(0, min(most, heads - begin)), most));
  };
  const Smem list = k.smem({1}, int32);
  k.load(list, s.table.slice(0, s.position / page, 1));
  const Spm angles = k.spm({1, c.head_dim}, fp32);
  k.load(angles, s.global("rope").slice(0, s.position, 1));

  const Tensor values = mine(s.heads(c.heads + c.kv_heads, c.kv_heads), 1);
  const Spm new_values = k.spm(values.shape(), fp32);
  k.load(new_values, values);
  const Spm new_keys = turned(k, mine(s.heads(c.heads, c.kv_heads), 1), angles);
  const Tensor queries = mine(s.heads(0, c.heads), 1);
  k.store(queries, turned(k, queries, angles));

  const Scalar here = k.read(list);
  const auto put = [&](const Tensor& pages, const Spm& rows) {  // [pages, heads, page, dim], [1, heads, dim]
    const Tensor row = mine(pages.at(0, here), 0).slice(1, s.position % page, 1);
    k.store(row.transposed(0, 1), rows);
  };
  put(s.k_pages(n), new_keys);
  put(s.v_pages(n), new_values);
}

}  // namespace

void turn_and_append(const Step& s, Scalar n) {
  turn_and_store(s, n);
  s.k.barrier();
}

}  // namespace heddle::models
