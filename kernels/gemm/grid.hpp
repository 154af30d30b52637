// SPDX-License-Identifier: Apache-2.0
// Products on a square grid of cores that pass their operands on: see grid.cpp for the plan.
#pragma once
#include <optional>

#include "kernels/gemm/gemm.hpp"

namespace heddle::kernels {

// Smaller grids gain less from passing on than their cores lose by waiting for each other.
inline constexpr std::int64_t least_grid_side = 3;

// How the cores of a g x g grid share c[m, n].
struct GridPlan {
  std::int64_t side = 1;  // g
  std::int64_t m = 32;    // block of c that a core computes at a time: [m, n]
  std::int64_t n = 32;
  std::int64_t k = 32;  // a core holds [m, k] of A and [k, n] of B for the others; a panel is g * k deep
  bool fits = false;    // else the product is better tiled
};

struct GridOptions {
  int epilogue_bytes = 16;  // of SPM, an element of a block of c
  bool a_in_spm = false, c_in_spm = false;
};

// From the target's numbers and the sizes alone.
GridPlan plan_grid(const sdk::Target& target, std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
                   const GridOptions& options);

// Operands that lie in the scratchpads instead of in HBM, one tile a core; empty: in HBM.
struct GridShards {
  std::optional<sdk::Spm> a;  // [panels · blocks of rows, m, k]: the slices that this core brings otherwise
  std::optional<sdk::Spm> c;  // [blocks, m, n]: what this core computes
};

// c = a · b. Precondition: the plan fits, with the shards.
void gemm_of_grid(sdk::KernelBuilder& k, const GemmArgs& g, const GridPlan& plan, const GridShards& shards = {});
// The shards of a, from HBM; and those of c, to HBM.
void load_shards(sdk::KernelBuilder& k, const sdk::Tensor& a, const GridPlan& plan, const sdk::Spm& shards);
void store_shards(sdk::KernelBuilder& k, const sdk::Tensor& c, const GridPlan& plan, const sdk::Spm& shards);

}  // namespace heddle::kernels
