// SPDX-License-Identifier: Apache-2.0
// What this kernel computes: all of its description but `build`.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// A stack of fully connected int8 layers, the batch in one piece: a = x [rows, k]; layers 0, 2, .. are [k, n], layers
// 1, 3, .. [n, k]; a' = saturate(relu(a · w / mlp_scale)). After a layer come as many elementwise layers as `vectors`
// in all spread over the pairs of layers: a' = max(a', 1). Weights lie in whole tiles [tile, tile], zero where the
// matrix does not reach, in the order in which they are used: by columns of tiles, k from top to bottom.
KernelDef mlp_problem();

inline constexpr int mlp_scale = 256;
// Elementwise layers behind layer number i.
std::int64_t vectors_after(std::int64_t i, std::int64_t layers, std::int64_t vectors);

}  // namespace heddle::kernels
