// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// index[r] = first column of the largest of x[r, :]; x [rows, cols] fp32, index [rows] int32. Rows longer than the
// scratchpad are taken in parts; columns up to 2^24.
void argmax(sdk::KernelBuilder& k, const sdk::Tensor& x, const sdk::Tensor& index);
// values[r, i], indices[r, i]: the i-th largest of x[r, :]; of equals the lower column first. A row must fit the
// scratchpad.
void topk(sdk::KernelBuilder& k, const sdk::Tensor& x, const sdk::Tensor& values, const sdk::Tensor& indices);

}  // namespace heddle::kernels
