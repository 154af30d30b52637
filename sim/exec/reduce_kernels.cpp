// SPDX-License-Identifier: Apache-2.0
// Reductions of a row, in the order that docs/isa/semantics.md states: 16 partial sums whatever the vector's width.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/exec/reduce_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "sim/exec/kernel_parts.hpp"
#include "sim/exec/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace heddle::exec::HWY_NAMESPACE {

template <bool Square>
HWY_INLINE VF accumulate(VF sum, VF a) {
  return Square ? fma(a, a, sum) : hn::Add(sum, a);
}

// Eight or four lanes: several vectors hold the 16 partials between loads and stores of them.
template <bool Square>
HWY_NOINLINE void partial_sums(const float* a, std::size_t n, float* partial) {
  const DF d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = n / 16 * 16;
  for (std::size_t j = 0; j < 16; j += lanes) {
    VF sum = hn::LoadU(d, partial + j);
    for (std::size_t i = 0; i < whole; i += 16) sum = accumulate<Square>(sum, hn::LoadU(d, a + i + j));
    hn::StoreU(sum, d, partial + j);
  }
  for (std::size_t i = whole; i < n; ++i)
    partial[i - whole] = Square ? std::fma(a[i], a[i], partial[i - whole]) : partial[i - whole] + a[i];
}

void sum(const float* a, std::size_t n, float* partial) { partial_sums<false>(a, n, partial); }
void sumsq(const float* a, std::size_t n, float* partial) { partial_sums<true>(a, n, partial); }

template <bool Max>
HWY_INLINE VF extreme(VF a, VF b) {
  const VF chosen = hn::IfThenElse(Max ? hn::Gt(a, b) : hn::Lt(a, b), a, b);
  const VF number = hn::IfThenElse(hn::Eq(b, b), chosen, a);
  return hn::IfThenElse(hn::Eq(a, b), Max ? hn::And(a, b) : hn::Or(a, b), number);
}

template <bool Max>
HWY_NOINLINE float row_extreme(const float* a, std::size_t n, float so_far) {
  const DF d;
  const std::size_t lanes = hn::Lanes(d);
  VF best = constant(so_far);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) best = extreme<Max>(best, hn::LoadU(d, a + i));
  HWY_ALIGN float rest[max_lanes];
  if (i != n) {
    hn::Store(constant(so_far), d, rest);
    std::memcpy(rest, a + i, (n - i) * sizeof(float));
    best = extreme<Max>(best, hn::Load(d, rest));
  }
  hn::Store(best, d, rest);
  VF result = constant(rest[0]);
  for (std::size_t j = 1; j < lanes; ++j) result = extreme<Max>(result, constant(rest[j]));
  return hn::GetLane(result);
}

float row_max(const float* a, std::size_t n, float so_far) { return row_extreme<true>(a, n, so_far); }
float row_min(const float* a, std::size_t n, float so_far) { return row_extreme<false>(a, n, so_far); }

void fill_reduce(Kernels* k) {
  k->sum = sum;
  k->sumsq = sumsq;
  k->row_max = row_max;
  k->row_min = row_min;
}

}  // namespace heddle::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heddle::exec {
HWY_EXPORT(fill_reduce);
void fill_reduce_kernels(Kernels* k) { HWY_DYNAMIC_DISPATCH(fill_reduce)(k); }
}  // namespace heddle::exec
#endif
