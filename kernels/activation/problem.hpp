// SPDX-License-Identifier: Apache-2.0
// What these kernels compute: all of their description but `build`.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// y[t, i] = silu(x[t, i]) · x[t, intermediate + i]; x [tokens, 2 · intermediate]. (Shazeer, 2020)
KernelDef swiglu_problem();
// y = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x³))), GPT-2's form. (Hendrycks and Gimpel, 2016)
KernelDef gelu_problem();

}  // namespace heddle::kernels
