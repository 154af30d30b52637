// SPDX-License-Identifier: Apache-2.0
// Level 6: everything fitted to the machine. The kernel of gemm.cpp: the next panel's rows arrive while this one is
// computed, several DMA engines share each load, and the sizes of tiles and steps are those whose estimated time is
// least. What level 5 leaves idle is found in its waits.
#include "kernels/gemm/operands.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

void product(KernelBuilder& k, const GemmArgs& g) {
  const std::int64_t m = g.c.extent(0).capacity, depth = g.a.extent(1).capacity, n = g.c.extent(1).capacity;
  const TilingOptions options{g.b_transposed, 1, epilogue_bytes(epilogue_of(g), g.c.dtype())};
  gemm(k, g, choose_tiling(k.target(), m, depth, n, g.a.dtype(), options));
}

const KernelRegistration registration(
    gemm_kernel("gemm_l6", "C = A · B, level 6: the next panel ahead, engines together, fitted tiles", product));

}  // namespace
}  // namespace heddle::kernels
