// SPDX-License-Identifier: Apache-2.0
// Products with few rows (decode): see decode.cpp for the plan.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "sdk/sdk.hpp"

namespace heddle::kernels {

// One or two weight matrices that meet the same rows.
struct WeightStream {
  std::vector<sdk::Tensor> weights;  // [n, k] if `transposed`, else [k, n]
  bool transposed = true;
  sdk::Tensor c;  // [m, n]
  // Like Epilogue, with one accumulator a matrix: called for tile c before its sums, returns what takes them.
  std::function<std::function<void(std::span<const sdk::Acc> sums)>(sdk::KernelBuilder& k, const sdk::Tensor& c)>
      epilogue;
};

// How a core walks through its share of the weights.
struct StreamPlan {
  std::int64_t share = 0;  // columns of c a core computes; the last ones may have fewer
  std::int64_t step = 0;   // [n, k]: columns of c a step;  [k, n]: rows of B a step
  std::int64_t steps = 0;  // of a full share
  int engines = 1;         // DMA engines that load a matrix together
  std::int64_t spm_bytes = 0, acc_bytes = 0;
  bool fits = false;  // else the product is better tiled
};
inline constexpr int stream_slots = 8;

// For c[m, n] = a[m, k] · B, `matrices` of them at once, from the target's numbers alone.
StreamPlan plan_stream(const sdk::Target& target, std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
                       bool transposed, int matrices = 1);

// a [m, k] with few rows, held in the scratchpad as a whole. Precondition: the plan fits.
void stream_weights(sdk::KernelBuilder& k, const sdk::Tensor& a, const WeightStream& w, const StreamPlan& plan);

}  // namespace heddle::kernels
