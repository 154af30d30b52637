// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "isa/base/error.hpp"
#include "kernels/attention/attend.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr std::int64_t most_packs = 12;  // a step is unrolled over them, and each takes view registers

std::int64_t largest_divisor(std::int64_t n, std::int64_t most) {
  std::int64_t d = std::clamp<std::int64_t>(most, 1, n);
  while (n % d != 0) --d;
  return d;
}

std::int64_t spm_bytes(const Target& t, const AttentionPlan& p, const Attention& a) {
  const std::int64_t rows = p.heads * p.tokens * group_rows(t, a), dim = a.head_dim();
  const std::int64_t operands = 2 * p.slots * p.block * p.heads * dim + 2 * rows * (p.block + p.pack * dim);
  const std::int64_t in_out = 2 * rows * dim * (bits(a.q.dtype()) + bits(a.o.dtype())) / 8;
  return bytes_of(a.compute, operands) + in_out + 6 * rows * 4;
}

std::int64_t acc_bytes(const Target& t, const AttentionPlan& p, const Attention& a) {
  return p.heads * p.tokens * group_rows(t, a) * 2 * (p.block + p.pack * a.head_dim()) * 4;
}

bool fits(const Target& t, const AttentionPlan& p, const Attention& a) {
  return spm_bytes(t, p, a) <= t.spm_bytes * 7 / 8 && acc_bytes(t, p, a) <= t.acc_bytes;
}

}  // namespace

std::int64_t group_rows(const Target& t, const Attention& a) {
  return t.ragged_attention ? (a.group() + 1) / 2 * 2 : a.group();
}

AttentionPlan plan_attention(const Target& t, const Attention& a) {
  if (a.group() > 128)
    fail(ErrorKind::unsupported, "HDL-KRN-04", "{} query heads share a key head; expected at most 128", a.group());
  const std::int64_t cores = t.cores, tokens = a.q.extent(0).capacity;
  AttentionPlan p;
  p.pack = largest_divisor(a.kv_heads, std::min(t.mxu_rows, t.mxu_cols) / a.head_dim());
  const std::int64_t packs = a.kv_heads / p.pack;
  if (a.decode()) {
    // All heads of a core at once, so that few rows still fill the vector unit; blocks as long as the arrays' latency
    // needs to hide behind their loading.
    const std::int64_t share = std::max<std::int64_t>(1, a.kv_heads / cores / p.pack);
    p.heads = p.pack * largest_divisor(packs, std::min(share, most_packs));
    const double bytes_per_cycle =
        static_cast<double>(t.hbm_bytes_per_second) / static_cast<double>(t.clock_hz) / static_cast<double>(cores);
    const auto bytes_of_position = static_cast<double>(2 * bytes_of(a.compute, p.heads * a.head_dim()));
    const auto hiding =
        static_cast<std::int64_t>(2.0 * (t.mxu_rows + t.mxu_cols) * bytes_per_cycle / bytes_of_position);
    const std::int64_t least = std::max<std::int64_t>(a.page, t.mxu_cols);
    p.block = std::max(least, hiding) / a.page * a.page;
    if (t.ragged_attention) {  // few heads at once, and large blocks
      p.heads = p.pack;
      p.block = std::max<std::int64_t>(1, 4 * t.mxu_cols / a.page) * a.page;
    }
  } else {
    // A pack an array, and enough query rows that a tile's load and the arrays' fill are small beside their streams.
    // Blocks of queries are a power of two smaller than those of keys, so that few blocks cross the diagonal.
    p.heads = p.pack * largest_divisor(packs, t.mxu_count);
    p.block = std::max<std::int64_t>(1, t.mxu_cols / a.page) * a.page;
    p.tokens = std::min(p.block, tokens);
    const std::int64_t groups = a.kv_heads / p.heads, most_rows = 4 * t.mxu_rows;
    const auto too_many = [&] {
      return p.pack * p.tokens * group_rows(t, a) > most_rows ||
             groups * ((tokens + p.tokens - 1) / p.tokens) < cores || !fits(t, p, a);
    };
    while (p.tokens > 1 && too_many()) p.tokens = (p.tokens + 1) / 2;
  }
  while (p.slots > 2 && !fits(t, p, a)) --p.slots;
  while (p.block > a.page && !fits(t, p, a)) p.block = std::max(a.page, p.block / 2 / a.page * a.page);
  while (p.heads > p.pack && !fits(t, p, a)) p.heads = p.pack * largest_divisor(packs, p.heads / p.pack - 1);
  return p;
}

}  // namespace heddle::kernels
