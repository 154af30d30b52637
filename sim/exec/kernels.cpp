// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/kernels.hpp"

#include "hwy/targets.h"
#include "sim/exec/kernel_parts.hpp"

namespace heddle::exec {
namespace {

Kernels table() {
  Kernels k;
  fill_convert_kernels(&k);
  fill_math_kernels(&k);
  fill_reduce_kernels(&k);
  fill_transpose_kernels(&k);
  fill_matmul_kernels(&k);
  return k;
}

}  // namespace

const Kernels& kernels() {
  static const Kernels best = table();
  return best;
}

std::vector<Kernels> all_kernels() {
  kernels();  // chosen before the list of targets is played with
  std::vector<Kernels> out;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    out.push_back(table());
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return out;
}

}  // namespace heddle::exec
