// SPDX-License-Identifier: Apache-2.0
// What these kernels compute: all of their description but `build`.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// index[r] = first column of the largest x[r, :]; x fp32, index int32.
KernelDef argmax_problem();
// values[r, k], indices[r, k]: the k largest of x[r, :], falling; of equals the lower column first.
KernelDef topk_problem();

}  // namespace heddle::kernels
