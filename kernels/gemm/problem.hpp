// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// C[batch, m, n] = A[batch, m, k] · B (+ bias[n]); B is [batch, k, n], or with bt=1 [batch, n, k] (a linear layer's
// weights as checkpoints store them). fp32 and bf16: A, B, C in the dtype, bias fp32; int8: A, B int8, bias and C
// int32. All of the description but `build`.
KernelDef gemm_problem();

// The same of one product without a bias, B stored [k, n]: its sizes are m, k and n alone. Without test shapes.
KernelDef plain_gemm_problem();

}  // namespace heddle::kernels
