// SPDX-License-Identifier: Apache-2.0
// Products with few rows (decode): see decode.cpp for the plan.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "sdk/sdk.hpp"

namespace heddle::kernels {

// One or two weight matrices [n, k] that meet the same rows.
struct WeightStream {
  std::vector<sdk::Tensor> weights;
  sdk::Tensor c;  // [m, n]
  // Takes the sums of tile c, one accumulator a matrix, and stores the result.
  std::function<void(sdk::KernelBuilder& k, const sdk::Tensor& c, std::span<const sdk::Acc> sums)> finish;
};

// a [m, k] with few rows, held in the scratchpad as a whole.
void stream_weights(sdk::KernelBuilder& k, const sdk::Tensor& a, const WeightStream& w);

// Whether a product of m rows is better streamed than tiled.
bool suits_streaming(const sdk::Target& target, std::int64_t m, std::int64_t k, DType dtype);

}  // namespace heddle::kernels
