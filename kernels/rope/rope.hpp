// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// Rotates x [tokens, heads, head_dim] in place, halves convention. table [positions, head_dim] fp32 holds cosines in
// its left half and sines in its right; token t uses row position + t. x may be a strided part of a wider tensor.
void rope(sdk::KernelBuilder& k, const sdk::Tensor& x, const sdk::Tensor& table, sdk::Scalar position);

}  // namespace heddle::kernels
