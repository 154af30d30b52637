// SPDX-License-Identifier: Apache-2.0
// Products on a square grid of cores that pass their operands on: see grid.cpp for the plan.
#pragma once
#include "kernels/gemm/gemm.hpp"

namespace heddle::kernels {

// How the cores of a g x g grid share c[m, n].
struct GridPlan {
  std::int64_t side = 1;  // g
  std::int64_t m = 32;    // block of c that a core computes at a time: [m, n]
  std::int64_t n = 32;
  std::int64_t k = 32;  // a core holds [m, k] of A and [k, n] of B for the others; a panel is g * k deep
  bool fits = false;    // else the product is better tiled
};

// From the target's numbers and the sizes alone.
GridPlan plan_grid(const sdk::Target& target, std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
                   int epilogue_bytes);

// c = a · b. Precondition: the plan fits.
void gemm_of_grid(sdk::KernelBuilder& k, const GemmArgs& g, const GridPlan& plan);

}  // namespace heddle::kernels
