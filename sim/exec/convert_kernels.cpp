// SPDX-License-Identifier: Apache-2.0
// Conversions of runs of elements to and from fp32, equal bit for bit to isa/base/float_convert.hpp (but for the sign
// of a NaN, which is dropped when narrowing).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/exec/convert_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "sim/exec/kernel_parts.hpp"
#include "sim/exec/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace heddle::exec::HWY_NAMESPACE {

// An IEEE-like format of 1 + E + M bits. HasInf false (e4m3): all-ones is NaN, overflow saturates.
template <int E, int M, bool HasInf>
struct Small {
  static constexpr int bias = (1 << (E - 1)) - 1;
  static constexpr std::uint32_t magnitude_mask = (1u << (E + M)) - 1;
  static constexpr std::uint32_t infinity = ((1u << E) - 1) << M;
  static constexpr std::uint32_t max_finite = HasInf ? infinity - 1 : magnitude_mask - 1;
  static constexpr std::uint32_t quiet_nan = HasInf ? infinity | (1u << (M - 1)) : magnitude_mask;
  static constexpr std::uint32_t overflow = HasInf ? infinity : max_finite;

  // The magnitude's bits, moved to fp32's places, read as fp32 and scaled by 2^(127 - bias): right for subnormals too.
  static HWY_INLINE VF widen(VU v) {
    const DF df;
    const DU du;
    const VU magnitude = hn::And(v, hn::Set(du, magnitude_mask));
    const VU sign = hn::ShiftLeft<31 - E - M>(hn::And(v, hn::Set(du, magnitude_mask + 1)));
    const VF scaled = hn::Mul(hn::BitCast(df, hn::ShiftLeft<23 - M>(magnitude)),
                              hn::BitCast(df, hn::Set(du, static_cast<std::uint32_t>(254 - bias) << 23)));
    VU bits = hn::BitCast(du, scaled);
    const VU special =
        HasInf ? hn::Or(hn::ShiftLeft<23 - M>(magnitude), hn::Set(du, 0x7f800000u)) : hn::Set(du, 0x7fc00000u);
    const DI di;
    const auto is_special = hn::Gt(hn::BitCast(di, magnitude), hn::Set(di, static_cast<std::int32_t>(max_finite)));
    bits = hn::IfThenElse(hn::RebindMask(du, is_special), special, bits);
    return hn::BitCast(df, hn::Or(bits, sign));
  }

  static HWY_INLINE VU narrow(VF f) {
    const DF df;
    const DU du;
    const DI di;
    const VU u = hn::BitCast(du, f);
    const VU magnitude = hn::And(u, hn::Set(du, 0x7fffffffu));
    const VU sign = hn::And(hn::ShiftRight<31 - E - M>(u), hn::Set(du, magnitude_mask + 1));
    const VI im = hn::BitCast(di, magnitude);
    // Normal results: round the significand to M bits to nearest even (a carry runs into the exponent), rebias.
    const VU odd = hn::And(hn::ShiftRight<23 - M>(magnitude), hn::Set(du, 1u));
    VU r = hn::ShiftRight<23 - M>(hn::Add(hn::Add(magnitude, hn::Set(du, (1u << (22 - M)) - 1)), odd));
    r = hn::Sub(r, hn::Set(du, static_cast<std::uint32_t>(127 - bias) << M));
    // Subnormal results: adding a power of two whose ulp is the smallest subnormal rounds for us.
    const std::uint32_t magic = static_cast<std::uint32_t>(127 + 1 - bias - M + 23) << 23;
    const VF shifted = hn::Add(hn::BitCast(df, magnitude), hn::BitCast(df, hn::Set(du, magic)));
    const VU subnormal = hn::Sub(hn::BitCast(du, shifted), hn::Set(du, magic));
    const auto is_small = hn::Lt(im, hn::Set(di, (127 + 1 - bias) << 23));
    r = hn::IfThenElse(hn::RebindMask(du, is_small), subnormal, r);
    const auto too_large = hn::Gt(hn::BitCast(di, r), hn::Set(di, static_cast<std::int32_t>(max_finite)));
    const auto infinite = hn::Eq(im, hn::Set(di, 0x7f800000));
    r = hn::IfThenElse(hn::RebindMask(du, hn::Or(too_large, infinite)), hn::Set(du, overflow), r);
    r = hn::Or(r, sign);
    const auto is_nan = hn::Gt(im, hn::Set(di, 0x7f800000));
    return hn::IfThenElse(hn::RebindMask(du, is_nan), hn::Set(du, quiet_nan), r);
  }
};

struct Bf16 {
  static HWY_INLINE VF widen(VU v) { return hn::BitCast(DF(), hn::ShiftLeft<16>(v)); }
  static HWY_INLINE VU narrow(VF f) {
    const DU du;
    const VU u = hn::BitCast(du, f);
    const VU odd = hn::And(hn::ShiftRight<16>(u), hn::Set(du, 1u));
    const VU r = hn::ShiftRight<16>(hn::Add(hn::Add(u, hn::Set(du, 0x7fffu)), odd));
    return hn::IfThenElse(hn::RebindMask(du, hn::Eq(f, f)), r, hn::Set(du, 0x7fc0u));
  }
};
using Fp16 = Small<5, 10, true>;
using E4m3 = Small<4, 3, false>;
using E5m2 = Small<5, 2, true>;

template <class Format, class Bits>
HWY_NOINLINE void widen_run(const std::uint8_t* source, float* to, std::size_t n) {
  const DF df;
  const DU du;
  const hn::Rebind<Bits, DF> narrow_tag;
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  const auto* from = reinterpret_cast<const Bits*>(source);
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(Format::widen(hn::PromoteTo(du, hn::LoadU(narrow_tag, from + i))), df, to + i);
  if (i == n) return;
  HWY_ALIGN Bits rest[max_lanes] = {};
  std::memcpy(rest, from + i, (n - i) * sizeof(Bits));
  store_some(Format::widen(hn::PromoteTo(du, hn::Load(narrow_tag, rest))), to + i, n - i);
}

template <class Format, class Bits>
HWY_NOINLINE void narrow_run(const float* from, std::uint8_t* result, std::size_t n) {
  const DF df;
  const DI di;
  const hn::Rebind<Bits, DF> narrow_tag;
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  auto* to = reinterpret_cast<Bits*>(result);
  for (; i + lanes <= n; i += lanes) {
    const VU r = Format::narrow(hn::LoadU(df, from + i));
    hn::StoreU(hn::DemoteTo(narrow_tag, hn::BitCast(di, r)), narrow_tag, to + i);
  }
  if (i == n) return;
  HWY_ALIGN Bits rest[max_lanes] = {};
  hn::Store(hn::DemoteTo(narrow_tag, hn::BitCast(di, Format::narrow(load_some(from + i, n - i)))), narrow_tag, rest);
  std::memcpy(to + i, rest, (n - i) * sizeof(Bits));
}

// Nearest even and saturated to [low, high]; NaN gives 0. The bounds are exact in fp32.
HWY_INLINE VI to_integer(VF f, float low, float high) {
  const DF df;
  const VF number = hn::IfThenElseZero(hn::Eq(f, f), f);
  const VF r = round_even(number);
  const VF bounded = hn::IfThenElse(hn::Lt(r, constant(low)), constant(low),
                                    hn::IfThenElse(hn::Gt(r, constant(high)), constant(high), r));
  return hn::ConvertTo(hn::RebindToSigned<DF>(), bounded);
  (void)df;
}

HWY_INLINE VI to_int32(VF f) {
  // 2147483520 is the largest fp32 below 2^31: what lies above saturates to 2^31 - 1 instead.
  const DI di;
  const auto over = hn::RebindMask(di, hn::Ge(f, constant(2147483648.0f)));
  return hn::IfThenElse(over, hn::Set(di, 0x7fffffff), to_integer(f, -2147483648.0f, 2147483520.0f));
}

HWY_NOINLINE void narrow_int32(const float* from, std::uint8_t* result, std::size_t n) {
  const DF df;
  const DI di;
  auto* to = reinterpret_cast<std::int32_t*>(result);
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(to_int32(hn::LoadU(df, from + i)), di, to + i);
  if (i == n) return;
  HWY_ALIGN std::int32_t rest[max_lanes];
  hn::Store(to_int32(load_some(from + i, n - i)), di, rest);
  std::memcpy(to + i, rest, (n - i) * sizeof(std::int32_t));
}

template <int Low, int High>
HWY_NOINLINE void narrow_int8(const float* from, std::int8_t* to, std::size_t n) {
  const DF df;
  const hn::Rebind<std::int8_t, DF> narrow_tag;
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::DemoteTo(narrow_tag, to_integer(hn::LoadU(df, from + i), Low, High)), narrow_tag, to + i);
  if (i == n) return;
  HWY_ALIGN std::int8_t rest[max_lanes];
  hn::Store(hn::DemoteTo(narrow_tag, to_integer(load_some(from + i, n - i), Low, High)), narrow_tag, rest);
  std::memcpy(to + i, rest, n - i);
}

void narrow_int4(const float* from, std::uint8_t* result, std::size_t n) {
  constexpr std::size_t block = 256;
  std::int8_t values[block];
  for (std::size_t done = 0; done < n; done += block) {
    const std::size_t count = n - done < block ? n - done : block;
    narrow_int8<-8, 7>(from + done, values, count);
    std::uint8_t* to = result + done / 2;
    for (std::size_t i = 0; i + 1 < count; i += 2)
      to[i / 2] = static_cast<std::uint8_t>((values[i] & 15) | ((values[i + 1] & 15) << 4));
    if (count % 2 != 0) to[count / 2] = static_cast<std::uint8_t>((to[count / 2] & 0xf0) | (values[count - 1] & 15));
  }
}

HWY_NOINLINE void widen_int32(const std::uint8_t* source, float* to, std::size_t n) {
  const auto* from = reinterpret_cast<const std::int32_t*>(source);
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

HWY_NOINLINE void widen_int8(const std::uint8_t* source, float* to, std::size_t n) {
  const DF df;
  const DI di;
  const hn::Rebind<std::int8_t, DF> narrow_tag;
  const auto* from = reinterpret_cast<const std::int8_t*>(source);
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(narrow_tag, from + i))), df, to + i);
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

// Low nibble first, sign-extended.
HWY_NOINLINE void unpack_int4(const std::uint8_t* from, std::int8_t* to, std::size_t n) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<std::uint8_t, 16> d;
  const hn::FixedTag<std::uint16_t, 8> d16;
  const auto low_mask = hn::Set(d, std::uint8_t{15});
  const auto sign = hn::Set(d, std::uint8_t{8});
  auto* out = reinterpret_cast<std::uint8_t*>(to);
  for (; i + 32 <= n; i += 32) {
    const auto bytes = hn::LoadU(d, from + i / 2);
    const auto low = hn::And(bytes, low_mask);
    const auto high = hn::And(hn::BitCast(d, hn::ShiftRight<4>(hn::BitCast(d16, bytes))), low_mask);
    const auto extend = [&](auto v) HWY_ATTR { return hn::Sub(hn::Xor(v, sign), sign); };
    hn::StoreU(extend(hn::InterleaveLower(d, low, high)), d, out + i);
    hn::StoreU(extend(hn::InterleaveUpper(d, low, high)), d, out + i + 16);
  }
#endif
  for (; i < n; ++i) to[i] = static_cast<std::int8_t>((((from[i / 2] >> (i % 2 * 4)) & 15) ^ 8) - 8);
}

void widen_int4(const std::uint8_t* from, float* to, std::size_t n) {
  constexpr std::size_t block = 512;
  std::int8_t values[block];
  for (std::size_t done = 0; done < n; done += block) {
    const std::size_t count = n - done < block ? n - done : block;
    unpack_int4(from + done / 2, values, count);
    widen_int8(reinterpret_cast<const std::uint8_t*>(values), to + done, count);
  }
}

HWY_NOINLINE void narrow_fp32(const float* from, float* to, std::size_t n) {
  const DF df;
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(canonical_nan(hn::LoadU(df, from + i)), df, to + i);
  if (i != n) store_some(canonical_nan(load_some(from + i, n - i)), to + i, n - i);
}

void widen(DType type, const std::uint8_t* from, float* to, std::size_t n) {
  switch (type) {
    case DType::fp32:
      std::memcpy(to, from, n * sizeof(float));
      break;
    case DType::bf16:
      widen_run<Bf16, std::uint16_t>(from, to, n);
      break;
    case DType::fp16:
      widen_run<Fp16, std::uint16_t>(from, to, n);
      break;
    case DType::fp8_e4m3:
      widen_run<E4m3, std::uint8_t>(from, to, n);
      break;
    case DType::fp8_e5m2:
      widen_run<E5m2, std::uint8_t>(from, to, n);
      break;
    case DType::int32:
      widen_int32(from, to, n);
      break;
    case DType::int8:
      widen_int8(from, to, n);
      break;
    case DType::int4:
      widen_int4(from, to, n);
      break;
  }
}

void narrow(DType type, const float* from, std::uint8_t* to, std::size_t n) {
  switch (type) {
    case DType::fp32:
      narrow_fp32(from, reinterpret_cast<float*>(to), n);
      break;
    case DType::bf16:
      narrow_run<Bf16, std::uint16_t>(from, to, n);
      break;
    case DType::fp16:
      narrow_run<Fp16, std::uint16_t>(from, to, n);
      break;
    case DType::fp8_e4m3:
      narrow_run<E4m3, std::uint8_t>(from, to, n);
      break;
    case DType::fp8_e5m2:
      narrow_run<E5m2, std::uint8_t>(from, to, n);
      break;
    case DType::int32:
      narrow_int32(from, to, n);
      break;
    case DType::int8:
      narrow_int8<-128, 127>(from, reinterpret_cast<std::int8_t*>(to), n);
      break;
    case DType::int4:
      narrow_int4(from, to, n);
      break;
  }
}

void spread(const std::uint32_t* column, std::uint32_t* to, std::size_t rows, std::size_t columns) {
  const DU d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t r = 0; r < rows; ++r, to += columns) {
    const std::uint32_t value = column[r];  // read before the row that may reach it is filled
    std::size_t i = 0;
    for (; i + lanes <= columns; i += lanes) hn::StoreU(hn::Set(d, value), d, to + i);
    for (; i < columns; ++i) to[i] = value;
  }
}

void fill_convert(Kernels* k) {
  k->target = hwy::TargetName(HWY_TARGET);
  k->widen = widen;
  k->narrow = narrow;
  k->spread = spread;
  k->unpack_int4 = unpack_int4;
}

}  // namespace heddle::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heddle::exec {
HWY_EXPORT(fill_convert);
void fill_convert_kernels(Kernels* k) { HWY_DYNAMIC_DISPATCH(fill_convert)(k); }
}  // namespace heddle::exec
#endif
