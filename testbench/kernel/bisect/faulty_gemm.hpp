// SPDX-License-Identifier: Apache-2.0
// A product with a fault of choice, to see whether it is found.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::bisect_test {

enum class Fault {
  none,
  last_k_block,     // the last step takes the block of A before it once more
  bias_columns,     // every tile adds the first columns' bias
  missing_tile,     // the last tile of C is not computed
  bf16_sums,        // partial sums are kept in bf16
  log_of_negative,  // a logarithm of the sums, some of which are negative
};

// gemm with bias=1, tiles of 64: C[m, n] = A[m, k] · B[k, n] + bias[n].
kernels::KernelDef faulty_gemm(Fault fault);

// Where its source has the instruction that goes wrong first, or writes what went wrong.
struct Lines {
  int store, load_a, sum;
};
Lines faulty_gemm_lines();

}  // namespace heddle::bisect_test
