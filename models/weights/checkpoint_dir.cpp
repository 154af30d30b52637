// SPDX-License-Identifier: Apache-2.0
#include "models/weights/checkpoint_dir.hpp"

#include <algorithm>
#include <filesystem>

#include "models/weights/json_file.hpp"

namespace heddle::weights {

namespace fs = std::filesystem;

namespace {

std::string weights_within(const fs::path& folder) {
  for (const char* name : {"model.safetensors.index.json", "model.safetensors"})
    if (fs::exists(folder / name)) return (folder / name).string();
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".safetensors") found.push_back(entry.path().string());
  if (found.size() == 1) return found.front();
  fail_at({folder.string()}, ErrorKind::bad_input, "HDL-WGT-01",
          "{} in this folder; expected model.safetensors or model.safetensors.index.json",
          found.empty() ? "no *.safetensors" : "several *.safetensors and no index");
}

std::shared_ptr<const FileBytes> open_if_there(const fs::path& path) {
  return fs::exists(path) ? FileBytes::open(path.string()) : nullptr;
}

void add_eos(ModelConfig& config, const Json& id) {
  if (!id.is_number_integer()) return;
  const auto value = id.get<std::int64_t>();
  if (std::find(config.eos_ids.begin(), config.eos_ids.end(), value) == config.eos_ids.end())
    config.eos_ids.push_back(value);
}

// A string, or in older files a list of {name, template} whose "default" counts.
std::string chat_template_of(const Json& json) {
  const auto it = json.find("chat_template");
  if (it == json.end()) return "";
  if (it->is_string()) return it->get<std::string>();
  if (it->is_array())
    for (const Json& item : *it)
      if (item.is_object() && item.value("name", Json()) == "default" && item.value("template", Json()).is_string())
        return item["template"].get<std::string>();
  return "";
}

}  // namespace

ModelPath resolve_model_path(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {false, weights_within(path), path};
  const auto file = FileBytes::open(path);
  if (file->text().starts_with("GGUF")) return {true, path, ""};
  const std::string name = fs::path(path).filename().string();
  const std::string folder = fs::path(path).parent_path().string();
  if (name.ends_with(".safetensors.index.json")) return {false, path, folder};
  if (name.ends_with(".safetensors")) {
    // One of several shards stands for all of them.
    const fs::path index = fs::path(folder) / "model.safetensors.index.json";
    const bool shard = name != "model.safetensors" && fs::exists(index, ignored);
    return {false, shard ? index.string() : path, folder};
  }
  fail_at({path}, ErrorKind::bad_input, "HDL-WGT-03",
          "not a model: expected a folder with config.json and *.safetensors, a .safetensors file or a GGUF file");
}

ConfigAndScheme read_checkpoint_config(const std::string& folder) {
  const fs::path at(folder);
  const auto file = FileBytes::open((at / "config.json").string());
  ConfigAndScheme result = config_from_json(file->text(), file->path());
  ModelConfig& config = result.config;
  if (const auto generation = open_if_there(at / "generation_config.json")) {
    const Json json = parse_json_object(generation->text(), generation->path());
    if (const auto it = json.find("eos_token_id"); it != json.end()) {
      if (it->is_array()) {
        for (const Json& id : *it) add_eos(config, id);
      } else {
        add_eos(config, *it);
      }
    }
  }
  if (const auto text = open_if_there(at / "chat_template.jinja")) {
    config.chat_template = std::string(text->text());
  } else if (const auto tokenizer = open_if_there(at / "tokenizer_config.json")) {
    config.chat_template = chat_template_of(parse_json_object(tokenizer->text(), tokenizer->path()));
  }
  return result;
}

}  // namespace heddle::weights
