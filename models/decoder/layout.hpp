// SPDX-License-Identifier: Apache-2.0
// Where a decoder-only model lies in HBM: weights (layers at one stride, so that a program walks them in a loop), the
// paged KV cache, and the activations of a step. Offsets are in bytes from the base of their own buffer.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/dtype.hpp"
#include "models/weights/model_config.hpp"

namespace heddle::models {

// A tensor of the device, made of one or more canonical tensors of the model file stacked by rows (q, k and v as one
// matrix).
struct Placement {
  std::string name;                  // "qkv.weight"
  std::vector<std::string> sources;  // canonical names, without "layers.N." for those of a layer
  DType dtype = DType::fp32;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;  // from the layer's base, or from the buffer's
};

struct Limits {
  std::int64_t context = 0;  // positions the KV cache holds
  std::int64_t chunk = 0;    // tokens of one prefill launch, at most
  std::int64_t page = 64;    // positions of a KV page
};

struct Layout {
  weights::ModelConfig config;
  DType dtype =
      DType::bf16;  // of matrices, KV cache and what meets the arrays; norms, biases and the residual are fp32
  Limits limits;

  std::vector<Placement> globals;    // offsets from the weight buffer
  std::vector<Placement> per_layer;  // offsets from the layer's base
  std::uint64_t first_layer = 0;     // offset of layer 0
  std::uint64_t layer_stride = 0;
  std::uint64_t weight_bytes = 0;

  std::int64_t pages = 0;           // of each layer's K, and of its V
  std::uint64_t kv_part_bytes = 0;  // one layer's K pages (or V pages)
  std::uint64_t kv_bytes = 0;       // layer n: K at 2n · kv_part_bytes, V right behind

  // Activations, for `chunk` tokens.
  std::uint64_t residual = 0, normed = 0, qkv = 0, attended = 0, activated = 0, last = 0, workspace_bytes = 0;

  std::int64_t q_width() const { return config.heads * config.head_dim; }
  std::int64_t kv_width() const { return config.kv_heads * config.head_dim; }
  std::int64_t qkv_width() const { return q_width() + 2 * kv_width(); }

  const Placement& global(std::string_view name) const;
  const Placement& layer(std::string_view name) const;
  bool has_layer(std::string_view name) const;
};

Layout plan_layout(const weights::ModelConfig& config, DType dtype, const Limits& limits);

}  // namespace heddle::models
