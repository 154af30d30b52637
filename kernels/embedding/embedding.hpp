// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// out[t, :] = table[ids[t], :]. ids [tokens] int32, table [vocab, hidden], out [tokens, hidden] in any float dtype.
void embedding(sdk::KernelBuilder& k, const sdk::Tensor& ids, const sdk::Tensor& table, const sdk::Tensor& out);

}  // namespace heddle::kernels
