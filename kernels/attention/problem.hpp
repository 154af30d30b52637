// SPDX-License-Identifier: Apache-2.0
// What these kernels compute: all of their description but `build`.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// o[q, h, :] = softmax(q[q, h, :] · k[:, h/g, :]ᵀ / sqrt(head_dim)) · v[:, h/g, :], g = q_heads / kv_heads. q and o are
// [q_len, q_heads, head_dim], k and v [kv_len, kv_heads, head_dim]. causal=1: query i sees keys up to kv_len - q_len +
// i.
KernelDef flash_attention_problem();
// The last `tokens` tokens of a sequence of kv_len over a paged cache: k_pages and v_pages [pages, kv_heads, page,
// head_dim]; position p of the sequence lies in page table[p / page], row p % page. q and o [tokens, q_heads,
// head_dim]; a token sees itself and what came before; table int32.
KernelDef paged_attention_problem();

}  // namespace heddle::kernels
