// SPDX-License-Identifier: Apache-2.0
// Small option types of the tile operations.
#pragma once
#include <concepts>
#include <optional>

#include "isa/def/fields.hpp"
#include "sdk/tile/tile.hpp"

namespace heddle::sdk {

using enum DType;  // fp32, bf16, ... as kernels write them

// A source of a vector operation: a tile, or a number for every element. A Scalar holds the number's bits as the
// machine reads them: fp32 bits (as a launch argument carries them) in float operations, an int32 in integer ones.
class Src {
 public:
  Src(const Tile& tile) : tile_(tile) {}  // NOLINT
  template <std::floating_point T>
  Src(T number) : number_(static_cast<double>(number)) {}  // NOLINT
  template <std::integral T>
  Src(T number) : number_(static_cast<double>(number)) {}  // NOLINT
  Src(Scalar bits) : bits_(bits) {}                        // NOLINT
  const std::optional<Tile>& tile() const { return tile_; }
  const std::optional<double>& number() const { return number_; }
  const Scalar& bits() const { return bits_; }

 private:
  std::optional<Tile> tile_;
  std::optional<double> number_;
  Scalar bits_ = 0;
};

// What a matmul does with the accumulator: decided on the host, or by a condition in the program (one branch a matmul).
class Mode {
 public:
  enum class Kind : std::uint8_t { overwrite, accumulate, conditional };
  constexpr Mode(Kind kind) : kind_(kind) {}  // NOLINT
  explicit Mode(Cond overwrite) : kind_(Kind::conditional), overwrite_(overwrite) {
    if (overwrite.is_constant()) kind_ = overwrite.constant() ? Kind::overwrite : Kind::accumulate;
  }
  Kind kind() const { return kind_; }
  const Cond& overwrite_if() const { return overwrite_; }

 private:
  Kind kind_;
  Cond overwrite_;
};
inline constexpr Mode::Kind overwrite = Mode::Kind::overwrite;
inline constexpr Mode::Kind accumulate = Mode::Kind::accumulate;
inline Mode overwrite_if(const Cond& c) { return Mode(c); }
inline Mode accumulate_if(const Cond& c) { return Mode(!c); }

// A stationary tile given as [n, k]: matmul(acc, a, transposed(b)) is a · bᵀ.
struct Transposed {
  Spm tile;
};
inline Transposed transposed(const Spm& t) { return {t}; }

// Slots of a tile that a loop body declares: with 2, an iteration may write its tile while the one before is still
// read.
struct Depth {
  int slots = 1;
};
constexpr Depth depth(int slots) { return {slots}; }

// Which DMA engine a transfer takes; by default loads rotate over all engines but the last, which stores.
struct DmaEngine {
  int index = -1;
};
constexpr DmaEngine on_dma(int index) { return {index}; }

struct PrintOptions {
  bool full = false;  // every element
};

// vd = fn(a * scale + bias), and optionally row = sum or max of it over the last dimension.
struct Fused {
  isa::VpuFn fn = isa::VpuFn::identity;
  Src scale = 1.0f;               // a number; a tile is HDL-SDK-16
  std::optional<Tile> bias = {};  // a size-1 dimension repeats
  std::optional<Tile> row = {};   // last size 1
  isa::RowReduce reduce = isa::RowReduce::none;
};

}  // namespace heddle::sdk
