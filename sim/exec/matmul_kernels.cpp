// SPDX-License-Identifier: Apache-2.0
// Rows streamed past a resting tile. A block of rows by a block of columns lives in registers; k runs inside, one fused
// multiply-add for each output and step, so that an output's chain is the same whatever the blocks' sizes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/exec/matmul_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "sim/exec/kernel_parts.hpp"
#include "sim/exec/simd-inl.hpp"

// AVX-512 and AArch64 have 32 vector registers, AVX2 16.
#undef HEDDLE_MANY_REGISTERS
#if HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM_A64
#define HEDDLE_MANY_REGISTERS 1
#else
#define HEDDLE_MANY_REGISTERS 0
#endif

HWY_BEFORE_NAMESPACE();
namespace heddle::exec::HWY_NAMESPACE {

struct Fp32Tile {
  using D = DF;
  using Element = float;
  using Weight = float;
  static HWY_INLINE VF load(const float* w) { return hn::LoadU(DF(), w); }
  static HWY_INLINE VF step(VF a, VF w, VF s) { return fma(a, w, s); }
  static HWY_INLINE VF finish(VF v) { return canonical_nan(v); }
};
struct Bf16Tile : Fp32Tile {
  using Weight = std::uint16_t;
  static HWY_INLINE VF load(const std::uint16_t* w) {
    const hn::Rebind<std::uint16_t, DF> narrow_tag;
    return hn::BitCast(DF(), hn::ShiftLeft<16>(hn::PromoteTo(DU(), hn::LoadU(narrow_tag, w))));
  }
};
struct Int8Tile {
  using D = DI;
  using Element = std::int32_t;
  using Weight = std::int8_t;
  static HWY_INLINE VI load(const std::int8_t* w) {
    const hn::Rebind<std::int8_t, DF> narrow_tag;
    return hn::PromoteTo(DI(), hn::LoadU(narrow_tag, w));
  }
  static HWY_INLINE VI step(VI a, VI w, VI s) { return hn::Add(hn::Mul(a, w), s); }
  static HWY_INLINE VI finish(VI v) { return v; }
};

// Not inlined: in one function with its siblings the compiler would keep some of the sums in memory.
template <class Tile, int Rows, int Vectors>
HWY_NOINLINE void block(const MatmulArgs& g, std::size_t row, std::size_t column) {
  using Element = typename Tile::Element;
  using D = typename Tile::D;
  using V = hn::Vec<D>;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const auto* w = static_cast<const typename Tile::Weight*>(g.w) + column;
  const Element* a = static_cast<const Element*>(g.a) + row * g.lda;
  V s[Rows][Vectors];
  HEDDLE_UNROLL
  for (int r = 0; r < Rows; ++r) HEDDLE_UNROLL
  for (int v = 0; v < Vectors; ++v) s[r][v] = hn::Zero(d);
  for (std::size_t k = 0; k < g.k; ++k, w += g.ldw, ++a) {
    V x[Vectors];
    HEDDLE_UNROLL
    for (int v = 0; v < Vectors; ++v) x[v] = Tile::load(w + static_cast<std::size_t>(v) * lanes);
    HEDDLE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const V y = hn::Set(d, a[static_cast<std::size_t>(r) * g.lda]);
      HEDDLE_UNROLL
      for (int v = 0; v < Vectors; ++v) s[r][v] = Tile::step(y, x[v], s[r][v]);
    }
  }
  HEDDLE_UNROLL
  for (int r = 0; r < Rows; ++r) {
    Element* c = static_cast<Element*>(g.c) + (row + static_cast<std::size_t>(r)) * g.ldc + column;
    HEDDLE_UNROLL
    for (int v = 0; v < Vectors; ++v, c += lanes) {
      const std::size_t at = column + static_cast<std::size_t>(v) * lanes;
      if (at + lanes <= g.n) {
        const V sum = g.accumulate ? hn::Add(hn::LoadU(d, c), s[r][v]) : s[r][v];
        hn::StoreU(Tile::finish(sum), d, c);
      } else if (at < g.n) {
        HWY_ALIGN Element rest[max_lanes] = {};
        const std::size_t bytes = (g.n - at) * sizeof(Element);
        if (g.accumulate) std::memcpy(rest, c, bytes);
        const V sum = g.accumulate ? hn::Add(hn::Load(d, rest), s[r][v]) : s[r][v];
        hn::Store(Tile::finish(sum), d, rest);
        std::memcpy(c, rest, bytes);
      }
    }
  }
}

template <class Tile, int Vectors>
HWY_INLINE void column_block(const MatmulArgs& g, std::size_t column) {
  constexpr int rows = 6;
  std::size_t row = 0;
  for (; row + rows <= g.m; row += rows) block<Tile, rows, Vectors>(g, row, column);
  switch (g.m - row) {
    case 1:
      block<Tile, 1, Vectors>(g, row, column);
      break;
    case 2:
      block<Tile, 2, Vectors>(g, row, column);
      break;
    case 3:
      block<Tile, 3, Vectors>(g, row, column);
      break;
    case 4:
      block<Tile, 4, Vectors>(g, row, column);
      break;
    case 5:
      block<Tile, 5, Vectors>(g, row, column);
      break;
    default:
      break;
  }
}

template <class Tile>
HWY_NOINLINE void matmul(const MatmulArgs& g) {
  const std::size_t lanes = hn::Lanes(typename Tile::D());
  const std::size_t vectors = (g.n + lanes - 1) / lanes;
  std::size_t v = 0;
  // One or two rows cannot hide the multiply-add's latency behind each other: more columns at a time do.
  if (g.m == 1)
    for (; v + 8 <= vectors; v += 8) block<Tile, 1, 8>(g, 0, v * lanes);
  if (g.m == 2 && HEDDLE_MANY_REGISTERS)
    for (; v + 8 <= vectors; v += 8) block<Tile, 2, 8>(g, 0, v * lanes);
#if HEDDLE_MANY_REGISTERS
  for (; v + 4 <= vectors; v += 4) column_block<Tile, 4>(g, v * lanes);
#endif
  for (; v + 2 <= vectors; v += 2) column_block<Tile, 2>(g, v * lanes);
  for (; v < vectors; ++v) column_block<Tile, 1>(g, v * lanes);
}

void matmul_fp32(const MatmulArgs& g) { matmul<Fp32Tile>(g); }
void matmul_bf16(const MatmulArgs& g) { matmul<Bf16Tile>(g); }
void matmul_int8(const MatmulArgs& g) { matmul<Int8Tile>(g); }

void fill_matmul(Kernels* k) {
  k->matmul_fp32 = matmul_fp32;
  k->matmul_bf16 = matmul_bf16;
  k->matmul_int8 = matmul_int8;
}

}  // namespace heddle::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heddle::exec {
HWY_EXPORT(fill_matmul);
void fill_matmul_kernels(Kernels* k) { HWY_DYNAMIC_DISPATCH(fill_matmul)(k); }
}  // namespace heddle::exec
#endif
