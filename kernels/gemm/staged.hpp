// SPDX-License-Identifier: Apache-2.0
// Products as an operator compiler makes them (Target::stage_bytes): see staged.cpp for the plan.
#pragma once
#include "kernels/gemm/gemm.hpp"

namespace heddle::kernels {

inline constexpr std::int64_t fewest_rows = 8;  // fewer make no product of matrices: their weights only stream by

struct StagedPlan {
  bool applies = false;       // the machine's programs have the habit, and the product is one of matrices
  bool b = false, a = false;  // whole operands in SPM
  GemmTiling tiling;          // of the sums, and depth of a step
};

StagedPlan plan_staged(const sdk::Target& target, const GemmArgs& g);

// Precondition: the plan applies.
void staged_gemm(sdk::KernelBuilder& k, const GemmArgs& g, const StagedPlan& plan);

}  // namespace heddle::kernels
