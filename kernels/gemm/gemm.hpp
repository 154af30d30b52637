// SPDX-License-Identifier: Apache-2.0
// Matrix products and what model layers fuse behind them.
#pragma once
#include <functional>

#include "sdk/sdk.hpp"

namespace heddle::kernels {

// What happens to a finished tile of sums (fp32, or int32 for int8 operands): stores what the layer needs.
using Finish = std::function<void(const sdk::Acc& sum)>;
// What a layer does with the tiles of a product. `begin` is called before the sums of a tile are computed, so that what
// else the layer needs is loaded meanwhile: `c` is the tile's place in the result (begin() says where).
struct Epilogue {
  std::function<Finish(sdk::KernelBuilder& k, const sdk::Tensor& c)> begin;
  int tiles = 1;       // of c's dtype and shape that it holds in SPM, two slots each
  int wide_tiles = 0;  // of fp32
  explicit operator bool() const { return begin != nullptr; }
};

struct GemmArgs {
  sdk::Tensor a;  // [m, k]; m may be known at launch only
  sdk::Tensor b;  // [k, n], or [n, k] with b_transposed
  sdk::Tensor c;  // [m, n]
  bool b_transposed = false;
  Epilogue epilogue;  // empty: store_converted
};

inline constexpr int gemm_slots = 3;  // of a ring of operands

struct GemmTiling {
  std::int64_t m = 8, k = 64, n = 64;  // one step: a[m, k], b[k, n]; the accumulator holds [m, n]
  bool resident = false;               // m whole rows of a stay in SPM while the columns of a panel pass
  std::int64_t panel_n = 64;           // columns of such a panel
  int panels = 2;                      // rows of a in SPM at once: of this panel, and of the next one
  int accumulators = 2;                // tiles of sums: one is drained while the next one fills
};

struct TilingOptions {
  bool b_transposed = false;
  int matrices = 1;         // products at once with one a: 2 for swiglu_gemm
  int epilogue_bytes = 16;  // of SPM, an element of a tile of c
  bool resident = true;     // rows of a may stay in SPM
};

// Tiles that fit the target's memories and should take the least time, from its numbers and the sizes alone.
GemmTiling choose_tiling(const sdk::Target& target, std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
                         const TilingOptions& options = {});
bool fits(const sdk::Target& target, std::int64_t k, DType dtype, const TilingOptions& options, const GemmTiling& t);

// c = a · b, tiles of c dealt to the cores.
void gemm(sdk::KernelBuilder& k, const GemmArgs& g, const GemmTiling& t);
void gemm(sdk::KernelBuilder& k, const GemmArgs& g);  // with choose_tiling

// c[m, n] = silu(a · gateᵀ) · (a · upᵀ); gate and up [n, k].
void swiglu_gemm(sdk::KernelBuilder& k, const sdk::Tensor& a, const sdk::Tensor& gate, const sdk::Tensor& up,
                 const sdk::Tensor& c);

// Epilogues. Rounds the sums to c's dtype.
Epilogue store_converted();
// c = sum + bias[n]; bias fp32 (int32 for integer sums).
Epilogue add_bias(const sdk::Tensor& bias);
// c = residual + sum (+ bias[n]); the residual has c's shape and is usually c itself.
Epilogue add_residual(const sdk::Tensor& residual);
Epilogue add_residual(const sdk::Tensor& residual, const sdk::Tensor& bias);
// c = silu(gate) · sum; gate has c's shape and may be c itself.
Epilogue multiply_silu_of(const sdk::Tensor& gate);
// c = gelu(sum + bias[n]), tanh form.
Epilogue gelu_of_bias(const sdk::Tensor& bias);

}  // namespace heddle::kernels
