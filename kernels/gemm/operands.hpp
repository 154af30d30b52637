// SPDX-License-Identifier: Apache-2.0
// What every version of the product does with its operands, whichever way B is stored.
#pragma once
#include <functional>
#include <string>

#include "kernels/gemm/gemm.hpp"
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

inline DType sum_type(DType operand) { return is_float(operand) ? DType::fp32 : DType::int32; }

// What tile c of the product needs of B, in blocks of tk of k.
inline sdk::Blocks blocks_of_b(const sdk::Tensor& b, bool transposed, const sdk::Tensor& c, std::int64_t tk) {
  return transposed ? b.slice(0, c.begin(1), c.extent(1)).blocks(1, tk) : b.col_block(c, tk);
}

inline void multiply(sdk::KernelBuilder& k, const sdk::Acc& sum, const sdk::Spm& a, const sdk::Spm& b,
                     bool b_transposed, sdk::Mode mode) {
  if (b_transposed)
    k.matmul(sum, a, sdk::transposed(b), mode);
  else
    k.matmul(sum, a, b, mode);
}

// The epilogue that was asked for, or rounding to c's dtype.
inline Epilogue epilogue_of(const GemmArgs& g) { return g.epilogue ? g.epilogue : store_converted(); }

// Bytes of SPM that an epilogue holds for each element of a tile.
inline int epilogue_bytes(const Epilogue& e, DType result) {
  return 2 * (e.tiles * bits(result) / 8 + e.wide_tiles * 4);
}

// The GEMM problem, batched and with or without a bias, solved by `product`.
KernelDef gemm_kernel(std::string name, std::string summary,
                      std::function<void(sdk::KernelBuilder& k, const GemmArgs& g)> product);

}  // namespace heddle::kernels
