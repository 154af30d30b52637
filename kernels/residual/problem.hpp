// SPDX-License-Identifier: Apache-2.0
// What these kernels compute: all of their description but `build`.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// y = a + b, elementwise.
KernelDef add_problem();

}  // namespace heddle::kernels
