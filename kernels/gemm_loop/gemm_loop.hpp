// SPDX-License-Identifier: Apache-2.0
// A product run the way a loop unit in hardware runs it: tiles of a fixed size, two of them in the scratchpad, their
// loads cut into commands of one array-high strip, and the array fed block by block in the order k, n, m.
#pragma once
#include "kernels/registry/kernel.hpp"
#include "sdk/sdk.hpp"

namespace heddle::kernels {

struct LoopTile {
  std::int64_t m = 0, k = 0, n = 0;  // elements
};

// Tiles of array blocks whose sums fit half of the accumulators and both of whose operands fit half of the scratchpad:
// of these the one that should take the least time.
LoopTile choose_loop_tile(const sdk::Target& target, const LoopTile& whole);
// The rule of such a unit's published driver (gemmini-rocc-tests, tiled_matmul_auto): begin with square tiles of the
// root of what half the accumulators hold, as deep as fits beside two such in a quarter of the scratchpad; then grow n,
// m, k a block at a time, in turn, while the halves hold it.
LoopTile driver_loop_tile(const sdk::Target& target, const LoopTile& whole);

// c[m, n] = a[m, k] · b[k, n], saturated to int8. Throws HDL-KRN-04 for a tile that does not fit.
void gemm_loop(sdk::KernelBuilder& k, sdk::Scalar a, sdk::Scalar b, sdk::Scalar c, const LoopTile& whole,
               const LoopTile& tile);

// C int8 = A · B, int8: sizes, operands, reference. All of the description but `build`.
KernelDef gemm_int8_problem();

}  // namespace heddle::kernels
