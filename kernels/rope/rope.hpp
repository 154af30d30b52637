// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// Rotates x [tokens, heads, head_dim] in place, halves convention. table [positions, head_dim] fp32 holds cosines in
// its left half and sines in its right; token t uses row position + t. x may be a strided part of a wider tensor.
void rope(sdk::KernelBuilder& k, const sdk::Tensor& x, const sdk::Tensor& table, sdk::Scalar position);

// The turn itself, on tiles: to = from [tokens, heads, head_dim] turned by angles [tokens, head_dim], cosines in the
// left half and sines in the right. to and from are different tiles; products and sums are fp32.
void turn(sdk::KernelBuilder& k, const sdk::Spm& to, const sdk::Spm& from, const sdk::Spm& angles);

}  // namespace heddle::kernels
