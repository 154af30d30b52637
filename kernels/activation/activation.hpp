// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// y[t, i] = silu(x[t, i]) · x[t, w + i] for x [tokens, 2w], y [tokens, w].
void swiglu(sdk::KernelBuilder& k, const sdk::Tensor& x, const sdk::Tensor& y);
// y = gelu(x) in the tanh form, both [tokens, hidden].
void gelu(sdk::KernelBuilder& k, const sdk::Tensor& x, const sdk::Tensor& y);

}  // namespace heddle::kernels
