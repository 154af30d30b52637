// SPDX-License-Identifier: Apache-2.0
// Layers as graph compilers for earlier chips make them: elementwise work is fused into the operation before or after
// it, but a reduction over rows ends a pass, and what lies between two passes goes through global memory. They take as
// much time as the memory needs for those passes. (kernels/softmax, norm and attention keep rows on the chip instead.)
#pragma once
#include "sdk/sdk.hpp"

namespace heddle::kernels {

// One number a row: [rows, 1] fp32, between two passes.
using RowColumn = sdk::Tensor;

// y = softmax of the rows of x [rows, cols]: x is read for the maxima, for the sums, and for the result, four
// crossings.
void graph_softmax(sdk::KernelBuilder& k, const sdk::Tensor& x, const RowColumn& top, const RowColumn& total,
                   const sdk::Tensor& y);
// The second of its passes: total[r] = sum of exp(x[r, :] - top[r]).
void graph_sums_of_exp(sdk::KernelBuilder& k, const sdk::Tensor& x, const RowColumn& top, const RowColumn& total);

// y = layer norm of the rows of x, as a batch norm of each row (mean; deviation; z) and a scale and shift of z: x is
// read three times, z written and read, y written, six crossings.
struct LayerNorm {
  sdk::Tensor x, weight, bias, y;  // weight and bias [hidden] fp32
  RowColumn mean, scale;
  sdk::Tensor z;
  float eps;
};
void graph_layernorm(sdk::KernelBuilder& k, const LayerNorm& n);

// o = softmax(q kᵀ / sqrt(dim)) v for each head; q, k, v, o [heads, seq, dim] (any strides), scores [heads, seq, seq].
// The maxima come out of the product that makes the scores, the division goes into the product that reads them: the
// scores cross three times.
struct GraphAttention {
  sdk::Tensor q, k, v, o;
  sdk::Tensor scores;
  RowColumn top, total;  // heads * seq rows
};
void graph_attention(sdk::KernelBuilder& k, const GraphAttention& a);

}  // namespace heddle::kernels
