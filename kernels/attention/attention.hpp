// SPDX-License-Identifier: Apache-2.0
// Attention without storing the scores (Dao et al., 2022): blocks of keys and values pass by, and each row keeps its
// running maximum, sum and weighted output.
//
// Operands may be wider than `compute` (fp32 activations in a bf16 model): they are rounded to it before they meet the
// arrays. Scores, maxima, sums and outputs are fp32; the output is rounded once to o's dtype. Grouped heads: query head
// h reads key/value head h / (q_heads / kv_heads).
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// q, o [q_len, q_heads, head_dim]; k, v [kv_len, kv_heads, head_dim]. causal: query i sees keys up to kv_len - q_len +
// i.
void flash_attention(sdk::KernelBuilder& b, const sdk::Tensor& q, const sdk::Tensor& k, const sdk::Tensor& v,
                     const sdk::Tensor& o, bool causal, DType compute);

// Keys and values in pages [pages, kv_heads, page, head_dim] of dtype `compute`; position p of the sequence lies in
// page table[p / page], row p % page (table int32). q, o [tokens, q_heads, head_dim], tokens 1 (decode) or more
// (prefill, in chunks), maybe known at launch only: token t stands at position `position` + t and sees positions 0 ..
// position + t, which must be in the cache already. Rows of the last page behind the sequence must have been written
// once (zeros are fine).
void paged_attention(sdk::KernelBuilder& b, const sdk::Tensor& q, const sdk::Tensor& k_pages,
                     const sdk::Tensor& v_pages, const sdk::Tensor& table, const sdk::Tensor& o, sdk::Scalar position,
                     DType compute);

}  // namespace heddle::kernels
