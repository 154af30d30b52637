// SPDX-License-Identifier: Apache-2.0
// What these kernels compute: all of their description but `build`.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// y[r, :] = exp(x[r, :] - max) / sum
KernelDef softmax_problem();

}  // namespace heddle::kernels
