// SPDX-License-Identifier: Apache-2.0
// What these kernels compute: all of their description but `build`.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// y[t, :] = x[t, :] / sqrt(mean(x²) + eps) · weight, eps = 1e-5; weight fp32. (Zhang and Sennrich, 2019)
KernelDef rmsnorm_problem();
// y[t, :] = (x - mean) / sqrt(variance + eps) · weight + bias, eps = 1e-5; weight and bias fp32. (Ba et al., 2016)
KernelDef layernorm_problem();

}  // namespace heddle::kernels
