// SPDX-License-Identifier: Apache-2.0
// Elementwise functions. Each transcendental is a fixed sequence of fp32 operations: argument reduction, a polynomial
// in Horner form by fused multiply-adds, reconstruction. The polynomials are minimax fits (weighted least squares,
// Lawson's iteration, coefficients rounded to fp32 one after the other with the rest refitted); the errors of the whole
// functions are measured against long double in testbench/unit/exec/test_vpu_math.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/exec/math_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "sim/exec/kernel_parts.hpp"
#include "sim/exec/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace heddle::exec::HWY_NAMESPACE {

using MF = hn::Mask<DF>;

HWY_INLINE VF select(MF m, VF yes, VF no) { return hn::IfThenElse(m, yes, no); }
HWY_INLINE VF from_bits(std::uint32_t bits) { return hn::BitCast(DF(), hn::Set(DU(), bits)); }

// c0 + x (c1 + x (c2 + ...)), coefficients from the lowest power on.
template <class... C>
HWY_INLINE VF polynomial(VF x, float c, C... rest) {
  if constexpr (sizeof...(rest) == 0)
    return constant(c);
  else
    return fma(x, polynomial(x, rest...), constant(c));
}

// 2^n for integers n in [-126, 127].
HWY_INLINE VF power_of_two(VI n) { return hn::BitCast(DF(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(DI(), 127)))); }

HWY_INLINE VF exp(VF x) {
  // Beyond these the result is 0 or infinity; NaN passes through the comparisons.
  const VF low = constant(-104.0f);
  const VF high = constant(89.0f);
  VF c = select(hn::Lt(x, low), low, x);
  c = select(hn::Gt(c, high), high, c);
  const VF n = round_even(hn::Mul(c, constant(0x1.715476p+0f)));
  VF r = fma(n, constant(-0x1.62e4p-1f), c);  // ln 2 in two parts: n times the first is exact
  r = fma(n, constant(-0x1.7f7d1cp-20f), r);
  const VF q = polynomial(r, 0x1p-1f, 0x1.555486p-3f, 0x1.5554d4p-5f, 0x1.1241cep-7f, 0x1.6d649ep-10f);
  const VF e = hn::Add(constant(1.0f), fma(hn::Mul(r, r), q, r));
  // Two factors: n reaches beyond the normal exponents on both sides. A NaN's n is replaced, its e stays NaN.
  const VI i = hn::ConvertTo(DI(), hn::IfThenElseZero(hn::Eq(n, n), n));
  const VI half = hn::ShiftRight<1>(i);
  return hn::Mul(hn::Mul(e, power_of_two(half)), power_of_two(hn::Sub(i, half)));
}

HWY_INLINE VF log(VF x) {
  const DF df;
  const DI di;
  const MF subnormal = hn::Lt(x, constant(0x1p-126f));
  const VF scaled = select(subnormal, hn::Mul(x, constant(0x1p23f)), x);
  const VF shift = select(subnormal, constant(-23.0f), constant(0.0f));
  // Write x as 2^e m with m in [sqrt(1/2), sqrt 2).
  const VI bits = hn::BitCast(di, scaled);
  const VI offset = hn::Sub(bits, hn::Set(di, 0x3f3504f3));
  const VI e = hn::ShiftRight<23>(offset);
  const VF m = hn::BitCast(df, hn::Sub(bits, hn::ShiftLeft<23>(e)));
  const VF exponent = hn::Add(hn::ConvertTo(df, e), shift);
  const VF f = hn::Sub(m, constant(1.0f));
  const VF s = hn::Mul(f, f);
  const VF p = polynomial(f, 0x1.555546p-2f, -0x1.000002p-2f, 0x1.99a55cp-3f, -0x1.555e74p-3f, 0x1.232caep-3f,
                          -0x1.fbceap-4f, 0x1.e73904p-4f, -0x1.e03878p-4f, 0x1.16151ep-4f);
  VF y = hn::Mul(hn::Mul(f, s), p);
  y = fma(exponent, constant(0x1.7f7d1cp-20f), y);
  y = fma(constant(-0.5f), s, y);
  VF r = fma(exponent, constant(0x1.62e4p-1f), hn::Add(f, y));
  r = select(hn::Eq(x, constant(0.0f)), from_bits(0xff800000u), r);
  r = select(hn::Lt(x, constant(0.0f)), from_bits(0x7fc00000u), r);
  r = select(hn::Eq(x, from_bits(0x7f800000u)), x, r);
  return select(hn::Eq(x, x), r, x);
}

HWY_INLINE VF tanh(VF x) {
  const VF a = hn::Abs(x);
  const VF z = hn::Mul(x, x);
  const VF p = polynomial(z, -0x1.555534p-2f, 0x1.110766p-3f, -0x1.b84478p-5f, 0x1.525a8p-6f, -0x1.76c4d8p-8f);
  const VF near = fma(hn::Mul(x, z), p, x);
  const VF e = exp(hn::Add(a, a));
  const VF far = hn::Sub(constant(1.0f), hn::Div(constant(2.0f), hn::Add(e, constant(1.0f))));
  return select(hn::Lt(a, constant(0.625f)), near, hn::CopySign(far, x));
}

HWY_INLINE VF erf(VF x) {
  const VF a = hn::Abs(x);
  const VF z = hn::Mul(x, x);
  const VF p = polynomial(z, 0x1.06eba8p-3f, -0x1.812742p-2f, 0x1.ce2dfep-4f, -0x1.b80f8ap-6f, 0x1.54de56p-8f,
                          -0x1.ab5fe2p-11f, 0x1.618cfp-14f);
  const VF near = fma(x, p, x);
  // erfc(a) = exp(-q(a)); from 4 on the result is 1.
  const VF c = select(hn::Gt(a, constant(4.0f)), constant(4.0f), a);
  const VF q = polynomial(c, -0x1.1f18aap-13f, 0x1.211a4ap+0f, 0x1.448634p-1f, 0x1.b8dd6cp-4f, -0x1.92f87ap-6f,
                          0x1.ffd306p-9f, -0x1.70ce34p-12f, 0x1.c1e038p-18f, 0x1.1fbf38p-20f);
  const VF far = hn::Sub(constant(1.0f), exp(hn::Neg(q)));
  return select(hn::Lt(a, constant(0.875f)), near, hn::CopySign(far, x));
}

// Numerator and denominator of 1 / (1 + e^-x), with the exponential of a negative number on either side.
HWY_INLINE VF sigmoid_of(VF x, VF factor) {
  const VF t = exp(hn::Neg(hn::Abs(x)));
  const VF numerator = select(hn::Lt(x, constant(0.0f)), hn::Mul(factor, t), factor);
  return hn::Div(numerator, hn::Add(constant(1.0f), t));
}

HWY_INLINE VF gelu(VF x) {
  const VF direct =
      hn::Mul(hn::Mul(constant(0.5f), x), hn::Add(constant(1.0f), erf(hn::Mul(x, constant(0x1.6a09e6p-1f)))));
  // Below -1 the sum cancels. There x/2 erfc(-x / sqrt 2) = -exp(-x^2 / 2) G(1 / (2 - x)) with a smooth G, and x^2 is
  // carried in two parts.
  const VF u = hn::Div(constant(1.0f), hn::Sub(constant(2.0f), x));
  const VF g = polynomial(u, 0x1.98875ap-2f, -0x1.a30316p-11f, -0x1.805306p-2f, -0x1.fc98b8p+0f, 0x1.893c34p-2f,
                          -0x1.ca0ebp+4f, 0x1.b33998p+6f, -0x1.33f8eep+7f, 0x1.457bd2p+6f);
  const VF high = hn::Mul(x, x);
  const VF low = fma(x, x, hn::Neg(high));
  const VF e = exp(hn::Mul(constant(-0.5f), high));
  const VF tail = hn::Neg(hn::Mul(fma(e, hn::Mul(constant(-0.5f), low), e), g));
  const VF far = select(hn::Lt(x, constant(-14.5f)), constant(-0.0f), tail);
  return select(hn::Lt(x, constant(-1.0f)), far, direct);
}

HWY_INLINE VF gelu_tanh(VF x) {
  // x/2 (1 + tanh u) = x / (1 + e^-2u)
  const VF cubic = fma(hn::Mul(hn::Mul(x, x), x), constant(0x1.6e4e26p-5f), x);
  const VF u = hn::Mul(constant(0x1.988454p+0f), cubic);  // 2 sqrt(2 / pi)
  const VF r = sigmoid_of(u, x);
  return select(hn::Lt(x, constant(-14.5f)), constant(-0.0f), r);
}

// sin for quarter 0, cos for quarter 1 (added to the quadrant of x).
HWY_INLINE VF sin_quarter(VF x, float quarter) {
  const VF n = round_even(hn::Mul(x, constant(0x1.45f306p-1f)));
  // x - n pi/2 in three parts; the second product is carried in full, so that little is lost near multiples of pi/2.
  const VF first = fma(n, constant(-0x1.921fb6p+0f), x);
  const VF minus_second = constant(0x1.777a5cp-25f);
  const VF p = hn::Mul(n, minus_second);
  const VF p_low = fma(n, minus_second, hn::Neg(p));
  const VF sum = hn::Add(first, p);
  const VF part = hn::Sub(sum, first);
  const VF sum_low = hn::Add(hn::Sub(first, hn::Sub(sum, part)), hn::Sub(p, part));
  const VF low = fma(n, constant(0x1.ee59dap-50f), hn::Add(sum_low, p_low));
  // Beyond |x| = 2^20 the reduction has no right bits left; the bound keeps the polynomials, and so the result, tame.
  VF r = hn::Add(sum, low);
  r = select(hn::Gt(r, constant(0.9f)), constant(0.9f), r);
  r = select(hn::Lt(r, constant(-0.9f)), constant(-0.9f), r);
  const VF z = hn::Mul(r, r);
  const VF s = fma(hn::Mul(r, z), polynomial(z, -0x1.555556p-3f, 0x1.111166p-7f, -0x1.a04a6ap-13f, 0x1.785fp-19f), r);
  const VF c = fma(hn::Mul(z, z), polynomial(z, 0x1.55554ap-5f, -0x1.6c0c2ap-10f, 0x1.99e8d8p-16f),
                   fma(constant(-0.5f), z, constant(1.0f)));
  // Quadrant mod 4 as a float: exact.
  const VF k = hn::Add(n, constant(quarter));
  const VF quadrant = hn::Sub(k, hn::Mul(constant(4.0f), floor_of(hn::Mul(k, constant(0.25f)))));
  const MF use_cos = hn::Or(hn::Eq(quadrant, constant(1.0f)), hn::Eq(quadrant, constant(3.0f)));
  const MF negative = hn::Ge(quadrant, constant(2.0f));
  const VF value = select(use_cos, c, s);
  return select(negative, hn::Neg(value), value);
}

// Numbers before NaN, +0 above -0.
HWY_INLINE VF maximum(VF a, VF b) {
  const VF larger = select(hn::Gt(a, b), a, b);
  const VF number = select(hn::Eq(b, b), larger, a);
  return select(hn::Eq(a, b), hn::And(a, b), number);
}
HWY_INLINE VF minimum(VF a, VF b) {
  const VF smaller = select(hn::Lt(a, b), a, b);
  const VF number = select(hn::Eq(b, b), smaller, a);
  return select(hn::Eq(a, b), hn::Or(a, b), number);
}

template <Unary fn>
HWY_INLINE VF apply(VF x) {
  if constexpr (fn == Unary::neg) return hn::Neg(x);
  if constexpr (fn == Unary::abs) return hn::Abs(x);
  if constexpr (fn == Unary::relu) return maximum(x, constant(0.0f));
  if constexpr (fn == Unary::exp) return exp(x);
  if constexpr (fn == Unary::log) return log(x);
  if constexpr (fn == Unary::sqrt) return hn::Sqrt(x);
  if constexpr (fn == Unary::rsqrt) return hn::Div(constant(1.0f), hn::Sqrt(x));
  if constexpr (fn == Unary::recip) return hn::Div(constant(1.0f), x);
  if constexpr (fn == Unary::sigmoid) return sigmoid_of(x, constant(1.0f));
  if constexpr (fn == Unary::tanh) return tanh(x);
  if constexpr (fn == Unary::erf) return erf(x);
  if constexpr (fn == Unary::silu) return sigmoid_of(x, x);
  if constexpr (fn == Unary::gelu) return gelu(x);
  if constexpr (fn == Unary::gelu_tanh) return gelu_tanh(x);
  if constexpr (fn == Unary::sin) return sin_quarter(x, 0.0f);
  if constexpr (fn == Unary::cos) return sin_quarter(x, 1.0f);
  if constexpr (fn == Unary::square) return hn::Mul(x, x);
  if constexpr (fn == Unary::floor) return floor_of(x);
  if constexpr (fn == Unary::round) return round_even(x);
  return x;
}

template <Unary fn>
HWY_NOINLINE void map(const float* a, float* r, std::size_t n) {
  const DF d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(apply<fn>(hn::LoadU(d, a + i)), d, r + i);
  if (i != n) store_some(apply<fn>(load_some(a + i, n - i)), r + i, n - i);
}

void unary(Unary fn, const float* a, float* r, std::size_t n) {
  switch (fn) {
#define HEDDLE_CASE(f) \
  case Unary::f:       \
    return map<Unary::f>(a, r, n)
    HEDDLE_CASE(identity);
    HEDDLE_CASE(neg);
    HEDDLE_CASE(abs);
    HEDDLE_CASE(relu);
    HEDDLE_CASE(exp);
    HEDDLE_CASE(log);
    HEDDLE_CASE(sqrt);
    HEDDLE_CASE(rsqrt);
    HEDDLE_CASE(recip);
    HEDDLE_CASE(sigmoid);
    HEDDLE_CASE(tanh);
    HEDDLE_CASE(erf);
    HEDDLE_CASE(silu);
    HEDDLE_CASE(gelu);
    HEDDLE_CASE(gelu_tanh);
    HEDDLE_CASE(sin);
    HEDDLE_CASE(cos);
    HEDDLE_CASE(square);
    HEDDLE_CASE(floor);
    HEDDLE_CASE(round);
#undef HEDDLE_CASE
  }
}

template <Binary fn>
HWY_INLINE VF apply(VF a, VF b) {
  const VF one = constant(1.0f);
  if constexpr (fn == Binary::add) return hn::Add(a, b);
  if constexpr (fn == Binary::sub) return hn::Sub(a, b);
  if constexpr (fn == Binary::mul) return hn::Mul(a, b);
  if constexpr (fn == Binary::div) return hn::Div(a, b);
  if constexpr (fn == Binary::max) return maximum(a, b);
  if constexpr (fn == Binary::min) return minimum(a, b);
  if constexpr (fn == Binary::lt) return hn::IfThenElseZero(hn::Lt(a, b), one);
  if constexpr (fn == Binary::le) return hn::IfThenElseZero(hn::Le(a, b), one);
  if constexpr (fn == Binary::eq) return hn::IfThenElseZero(hn::Eq(a, b), one);
  if constexpr (fn == Binary::ne) return hn::IfThenZeroElse(hn::Eq(a, b), one);
}

template <Binary fn>
HWY_NOINLINE void zip(const float* a, const float* b, float* r, std::size_t n) {
  const DF d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(apply<fn>(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, r + i);
  if (i != n) store_some(apply<fn>(load_some(a + i, n - i), load_some(b + i, n - i)), r + i, n - i);
}

void binary(Binary fn, const float* a, const float* b, float* r, std::size_t n) {
  switch (fn) {
    case Binary::add:
      return zip<Binary::add>(a, b, r, n);
    case Binary::sub:
      return zip<Binary::sub>(a, b, r, n);
    case Binary::mul:
      return zip<Binary::mul>(a, b, r, n);
    case Binary::div:
      return zip<Binary::div>(a, b, r, n);
    case Binary::max:
      return zip<Binary::max>(a, b, r, n);
    case Binary::min:
      return zip<Binary::min>(a, b, r, n);
    case Binary::lt:
      return zip<Binary::lt>(a, b, r, n);
    case Binary::le:
      return zip<Binary::le>(a, b, r, n);
    case Binary::eq:
      return zip<Binary::eq>(a, b, r, n);
    case Binary::ne:
      return zip<Binary::ne>(a, b, r, n);
  }
}

void choose(const float* mask, const float* b, const float* c, float* r, std::size_t n) {
  const DF d;
  const std::size_t lanes = hn::Lanes(d);
  const VF zero = constant(0.0f);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(select(hn::Eq(hn::LoadU(d, mask + i), zero), hn::LoadU(d, c + i), hn::LoadU(d, b + i)), d, r + i);
  for (; i < n; ++i) r[i] = mask[i] == 0.0f ? c[i] : b[i];
}

void scale(const float* a, float factor, const float* bias, float* r, std::size_t n) {
  const DF d;
  const std::size_t lanes = hn::Lanes(d);
  const VF f = constant(factor);
  std::size_t i = 0;
  if (bias == nullptr) {
    for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, a + i), f), d, r + i);
    for (; i < n; ++i) r[i] = a[i] * factor;
    return;
  }
  for (; i + lanes <= n; i += lanes) hn::StoreU(fma(hn::LoadU(d, a + i), f, hn::LoadU(d, bias + i)), d, r + i);
  if (i != n) store_some(fma(load_some(a + i, n - i), f, load_some(bias + i, n - i)), r + i, n - i);
}

void fill_math(Kernels* k) {
  k->unary = unary;
  k->binary = binary;
  k->select = choose;
  k->scale = scale;
}

}  // namespace heddle::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heddle::exec {
HWY_EXPORT(fill_math);
void fill_math_kernels(Kernels* k) { HWY_DYNAMIC_DISPATCH(fill_math)(k); }
}  // namespace heddle::exec
#endif
