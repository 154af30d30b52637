// SPDX-License-Identifier: Apache-2.0
// A Hugging Face checkpoint: config.json with the files that stand beside it.
#pragma once
#include <memory>
#include <string>

#include "models/weights/config_source.hpp"

namespace heddle::weights {

// What a path leads to: a GGUF file, or the folder of a Hugging Face checkpoint and the weights within it.
struct ModelPath {
  bool gguf = false;
  std::string weights;  // .gguf, .safetensors or .safetensors.index.json
  std::string folder;   // of config.json, tokenizer.json, ...; empty for GGUF
};

// Throws HDL-WGT-01 where there is nothing, HDL-WGT-03 where it is no model.
ModelPath resolve_model_path(const std::string& path);

// config.json, completed from generation_config.json (end tokens) and tokenizer_config.json or chat_template.jinja
// (chat template), which may be absent.
ConfigAndScheme read_checkpoint_config(const std::string& folder);

}  // namespace heddle::weights
