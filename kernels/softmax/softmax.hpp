// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// y[r, :] = exp(x[r, :] - max) / sum, both [rows, cols]; a row must fit the scratchpad.
void softmax(sdk::KernelBuilder& k, const sdk::Tensor& x, const sdk::Tensor& y);

}  // namespace heddle::kernels
