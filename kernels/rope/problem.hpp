// SPDX-License-Identifier: Apache-2.0
// What these kernels compute: all of their description but `build`.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// Rotary position embedding, halves convention: with d = head_dim / 2, pairs (x[i], x[i+d]) turn by the angle whose
// cosine and sine are table[position, i] and table[position, d + i] (fp32, [positions, head_dim]). x [tokens, heads,
// head_dim] in place; token t stands at position `position` + t. (Su et al., 2021)
KernelDef rope_problem();

}  // namespace heddle::kernels
