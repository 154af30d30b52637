// SPDX-License-Identifier: Apache-2.0
// What these kernels compute: all of their description but `build`. Tensors between two passes are workspace.
#pragma once
#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

// y[r, :] = exp(x[r, :] - max) / sum.
KernelDef graph_softmax_problem();
// y[t, :] = (x - mean) / sqrt(variance + eps) · weight + bias, eps = 1e-5; weight and bias fp32.
KernelDef graph_layernorm_problem();
// o[h] = softmax(q[h] k[h]ᵀ / sqrt(head_dim)) v[h]; all [heads, seq, head_dim].
KernelDef graph_attention_problem();
// One encoder layer (Devlin et al., 2019): y = norm(h + gelu(h w1) w2), h = norm(x + attention(x wq, x wk, x wv) wo),
// with biases; x and y [tokens, hidden], gelu in its tanh form, norms with scale and shift.
KernelDef graph_encoder_problem();

}  // namespace heddle::kernels
