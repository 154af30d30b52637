// SPDX-License-Identifier: Apache-2.0
// What these kernels compute: all of their description but `build`.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// Writes k and v [tokens, kv_heads, head_dim] of positions `position`.. into paged caches [pages, kv_heads, page,
// head_dim] through the block table (int32): position p lies in page table[p / page], row p % page.
KernelDef kv_append_problem();

}  // namespace heddle::kernels
