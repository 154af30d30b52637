// SPDX-License-Identifier: Apache-2.0
// Matrix products and what model layers fuse behind them.
#pragma once
#include <functional>

#include "sdk/sdk.hpp"

namespace heddle::kernels {

// What happens to a finished tile of sums (fp32, or int32 for int8 operands): stores what the layer needs.
using Finish = std::function<void(const sdk::Acc& sum)>;
// Called before the sums of a tile are computed, so that what else the layer needs is loaded meanwhile: `c` is the
// tile's place in the result (begin() says where).
using Epilogue = std::function<Finish(sdk::KernelBuilder& k, const sdk::Tensor& c)>;

struct GemmArgs {
  sdk::Tensor a;  // [m, k]; m may be known at launch only
  sdk::Tensor b;  // [k, n], or [n, k] with b_transposed
  sdk::Tensor c;  // [m, n]
  bool b_transposed = false;
  Epilogue epilogue;  // empty: store_converted
};

struct GemmTiling {
  std::int64_t m = 64, k = 64, n = 64;  // one step: a[m, k], b[k, n]; the accumulator holds [m, n]
  int slots = 2;                        // of each operand's ring
  int accumulators = 2;                 // tiles of sums: one is drained while the next one fills
};

// Tiles that fit the target's memories and keep its arrays busy, from its numbers alone. `sums`: accumulator tiles a
// step (2 for swiglu_gemm).
GemmTiling choose_tiling(const sdk::Target& target, std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
                         int sums = 1);

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
// c = gelu(sum + bias[n]), tanh form.
Epilogue gelu_of_bias(const sdk::Tensor& bias);

}  // namespace heddle::kernels
