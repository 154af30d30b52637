// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// y[t, :] = x[t, :] / sqrt(mean(x²) + eps) · weight. x, y [tokens, hidden] of any float dtype, weight [hidden] fp32;
// tokens may be known at launch only.
void rmsnorm(sdk::KernelBuilder& k, const sdk::Tensor& x, const sdk::Tensor& weight, const sdk::Tensor& y, float eps);
// y[t, :] = (x - mean) / sqrt(variance + eps) · weight + bias.
void layernorm(sdk::KernelBuilder& k, const sdk::Tensor& x, const sdk::Tensor& weight, const sdk::Tensor& bias,
               const sdk::Tensor& y, float eps);

}  // namespace heddle::kernels
