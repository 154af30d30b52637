// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// Writes k and v [tokens, kv_heads, head_dim] (strided parts of a wider tensor are fine) of positions position.. into
// the pages [pages, kv_heads, page, head_dim] that table [..] int32 names: position p lies in page table[p / page], row
// p % page. dtypes may differ; the pages' dtype is what is stored.
void kv_append(sdk::KernelBuilder& k, const sdk::Tensor& keys, const sdk::Tensor& values, const sdk::Tensor& k_pages,
               const sdk::Tensor& v_pages, const sdk::Tensor& table, sdk::Scalar position);

}  // namespace heddle::kernels
