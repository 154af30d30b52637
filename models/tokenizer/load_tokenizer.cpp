// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "isa/base/error.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "models/weights/gguf.hpp"

namespace heddle::tokenizer {

namespace fs = std::filesystem;

Tokenizer load_tokenizer(const std::string& path) {
  fs::path json(path);
  std::error_code ignored;
  if (fs::is_directory(json, ignored)) {
    json /= "tokenizer.json";
  } else {
    const auto file = weights::FileBytes::open(path);
    if (file->text().starts_with("GGUF")) return tokenizer_from_gguf(weights::GgufFile(file));
    // A weight file, its index or a tokenizer.json of any name.
    if (json.extension() != ".json" || json.filename().string().ends_with(".index.json"))
      json = json.parent_path() / "tokenizer.json";
  }
  if (!fs::exists(json, ignored)) {
    const bool sentencepiece = fs::exists(json.parent_path() / "tokenizer.model", ignored);
    fail_at({json.string()}, sentencepiece ? ErrorKind::unsupported : ErrorKind::bad_input,
            sentencepiece ? "HDL-TOK-02" : "HDL-TOK-01", "no tokenizer.json{}",
            sentencepiece ? "; the SentencePiece tokenizer.model beside it is not supported" : " for this model");
  }
  const auto file = weights::FileBytes::open(json.string());
  const fs::path config_path = json.parent_path() / "tokenizer_config.json";
  const auto config = fs::exists(config_path, ignored) ? weights::FileBytes::open(config_path.string()) : nullptr;
  return tokenizer_from_json(file->text(), config ? config->text() : std::string_view(), file->path());
}

}  // namespace heddle::tokenizer
