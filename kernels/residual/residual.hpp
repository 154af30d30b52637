// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// y = a + b, all [rows, cols]; dtypes may differ, the sum is fp32 and rounded once to y's.
void add(sdk::KernelBuilder& k, const sdk::Tensor& a, const sdk::Tensor& b, const sdk::Tensor& y);

}  // namespace heddle::kernels
