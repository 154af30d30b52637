// SPDX-License-Identifier: Apache-2.0
// What these kernels compute: all of their description but `build`.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// out[tokens, hidden] = table[ids[tokens], :]; ids int32.
KernelDef embedding_problem();

}  // namespace heddle::kernels
