// SPDX-License-Identifier: Apache-2.0
// A model on disk, in whatever format: its config, and its tensors under one set of names and in one layout.
//
//   embed.weight                          [vocab, hidden]
//   position.weight                       [context, hidden]               gpt2 only
//   layers.N.attention_norm.weight|bias   [hidden]                        bias: gpt2 only
//   layers.N.attention.q.weight           [heads * head_dim, hidden]      rows in rotate-half order
//   layers.N.attention.k|v.weight         [kv_heads * head_dim, hidden]
//   layers.N.attention.q|k|v.bias         [rows of the weight]            where config.qkv_bias
//   layers.N.attention.q_norm|k_norm.weight [head_dim]                    where config.qk_norm
//   layers.N.attention.o.weight           [hidden, heads * head_dim]      bias [hidden] where config.o_bias
//   layers.N.mlp_norm.weight|bias         [hidden]
//   layers.N.mlp.gate.weight              [intermediate, hidden]          llama only
//   layers.N.mlp.up.weight                [intermediate, hidden]
//   layers.N.mlp.down.weight              [hidden, intermediate]          biases where config.mlp_bias
//   final_norm.weight|bias                [hidden]
//   lm_head.weight                        [vocab, hidden]                 reads embed.weight where they are tied
//
// A weight is [outputs, inputs]: y[n] = sum over k of weight[n, k] * x[k] + bias[n].
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/weights/i_weights.hpp"
#include "models/weights/model_config.hpp"
#include "models/weights/tensor_map.hpp"

namespace heddle::weights {

class ModelFile {
 public:
  // Throws HDL-WGT-09 for a missing tensor and HDL-WGT-10 for a wrong shape, both before any data is read.
  ModelFile(std::shared_ptr<const IWeightFile> file, ModelConfig config, NameScheme scheme);

  const ModelConfig& config() const { return config_; }
  const std::string& path() const { return file_->path(); }
  // Every canonical tensor in the order above, layer by layer; `type` and `bytes` are those of the file.
  std::span<const TensorInfo> tensors() const { return tensors_; }
  bool has(std::string_view name) const;
  const TensorInfo& tensor(std::string_view name) const;  // HDL-WGT-09 where there is none
  // Sum over tensors() of elements, shared ones once.
  std::int64_t parameters() const;

  // Rows [first_row, first_row + rows) of the tensor seen as [rows(), row_elements()], as fp32; `out` has exactly
  // rows * row_elements. A 1-D tensor is one row. Throws HDL-WGT-14 where range or buffer do not fit.
  void read_rows(std::string_view name, std::int64_t first_row, std::int64_t rows, std::span<float> out) const;
  void read(std::string_view name, std::span<float> out) const;
  std::vector<float> read(std::string_view name) const;

 private:
  struct Entry {
    const TensorInfo* source;
    Layout layout;
  };
  std::size_t index_of(std::string_view name) const;
  void read_elements(const Entry& entry, const TensorInfo& tensor, std::int64_t first, std::int64_t rows,
                     std::span<float> out) const;

  std::shared_ptr<const IWeightFile> file_;
  ModelConfig config_;
  std::vector<TensorInfo> tensors_;
  std::vector<Entry> entries_;  // of tensors_
  std::unordered_map<std::string, std::size_t> index_;
};

// Opens a model: a directory (config.json beside *.safetensors), a .safetensors file or a model.safetensors.index.json
// with its config.json beside it, or a .gguf file. What a file is, its first bytes decide. Throws the errors above,
// HDL-WGT-11 for an architecture that is not supported, HDL-WGT-12 for a config that makes no sense.
ModelFile load_model(const std::string& path);

}  // namespace heddle::weights
