// SPDX-License-Identifier: Apache-2.0
// The two places a ModelConfig comes from.
#pragma once
#include "models/weights/gguf.hpp"
#include "models/weights/model_config.hpp"
#include "models/weights/tensor_map.hpp"

namespace heddle::weights {

struct ConfigAndScheme {
  ModelConfig config;
  NameScheme scheme;
};

// From the text of a Hugging Face config.json; `path` names it in errors. Token ids and chat template may stand in
// other files, see checkpoint_dir.hpp. Throws HDL-WGT-04, -11, -12, -13.
ConfigAndScheme config_from_json(std::string_view text, const std::string& path);

// From GGUF metadata, and from the file's list of tensors where the metadata is silent (tied embeddings, biases).
ConfigAndScheme config_from_gguf(const GgufFile& file);

}  // namespace heddle::weights
