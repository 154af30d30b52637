// SPDX-License-Identifier: Apache-2.0
// From canonical tensor names (model_file.hpp) to those of a format, and how the data must be turned to fit them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/weights/model_config.hpp"

namespace heddle::weights {

class IWeightFile;

enum class NameScheme : std::uint8_t {
  hf_llama,    // model.layers.N.self_attn.q_proj.weight
  hf_gpt2,     // h.N.attn.c_attn.weight: Conv1D, so [in, out], q k v fused
  gguf_llama,  // blk.N.attn_q.weight with the rows of q and k interleaved, as ggml's llama rope wants them
  gguf_neox,   // the same names, rows untouched: qwen2, qwen3
  gguf_gpt2,   // blk.N.attn_qkv.weight: fused, [out, in]
};

// How a canonical tensor lies within the file's. Rows here are of the canonical tensor, or elements if it is 1-D.
struct Layout {
  std::int64_t first_row = 0;    // where it starts in a fused tensor
  std::int64_t source_rows = 0;  // rows of the file's tensor
  std::int64_t interleaved = 0;  // head_dim where row pairs are interleaved within a head; 0: they are not
  bool transposed = false;       // the file has [in, out]
};

struct MappedTensor {
  std::string name;                 // canonical
  std::string source;               // in the file
  std::vector<std::int64_t> shape;  // canonical
  std::vector<std::int64_t> source_shape;
  Layout layout;
};

// The canonical tensors of a model and where they come from. `layer` -1: those outside the layers.
std::vector<MappedTensor> map_tensors(const ModelConfig& config, NameScheme scheme, std::int64_t layer);

// The prefix that this file puts before HF names ("model.", "transformer." or none); empty for GGUF.
std::string name_prefix(const IWeightFile& file, NameScheme scheme);

}  // namespace heddle::weights
