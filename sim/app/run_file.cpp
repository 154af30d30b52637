// SPDX-License-Identifier: Apache-2.0
#include "sim/app/run_file.hpp"

#include <algorithm>
#include <filesystem>

#include "sim/config/describe_chip.hpp"
#include "sim/config/load_fields.hpp"
#include "sim/config/print_fields.hpp"
#include "sim/config/yaml_node.hpp"

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using config::optional;
using config::required;
using config::Unit;

std::string beside(const std::string& run_file, const std::string& path) {
  return fs::path(path).is_absolute() ? path : (fs::path(run_file).parent_path() / path).lexically_normal().string();
}

// The chip's keys are those that the run file does not have.
bool is_run_key(const std::string& override_text) {
  const std::string first = override_text.substr(0, override_text.find_first_of(".="));
  for (const char* key : {"model", "chip", "mode", "dtype", "prompt", "chat", "max_new_tokens", "sampling"})
    if (first == key) return true;
  return false;
}

void word_of(config::Fields& f, std::string_view key, std::string& member, std::span<const std::string_view> words,
             std::string_view doc) {
  auto index = static_cast<std::size_t>(std::find(words.begin(), words.end(), member) - words.begin());
  f.word(key, index, words, optional, doc);
  member = words[index];
}

}  // namespace

void describe(config::Fields& f, SamplingSpec& s) {
  f.real("temperature", s.temperature, 0, 100, optional, "0: always the most likely token");
  f.number("top_k", s.top_k, Unit::none, {0, 1 << 20}, optional, "Choose among the k most likely; 0: all");
  f.real("top_p", s.top_p, 0, 1, optional, "Choose among the most likely whose probabilities sum to this");
  f.number("seed", s.seed, Unit::none, {0, INT64_MAX}, optional, "Of the random choice; the same seed, the same text");
}

void describe(config::Fields& f, RunSpec& s) {
  static constexpr std::string_view modes[] = {"values", "timing", "full"};
  static constexpr std::string_view dtypes[] = {"bf16", "fp32"};
  f.text("model", s.model, required,
         "A folder with config.json and safetensors, or a .gguf file; from this file's folder");
  f.text("chip", s.chip, optional, "A chip's YAML file, from this file's folder, or a preset's name");
  word_of(f, "mode", s.mode, modes, "values: no clock; timing: no bulk data; full: both");
  word_of(f, "dtype", s.dtype, dtypes, "What the chip computes in");
  f.text("prompt", s.prompt, required, "The text to continue");
  f.flag("chat", s.chat, optional, "Put the prompt through the model's chat template, if it has one");
  f.number("max_new_tokens", s.max_new_tokens, Unit::none, {1, 1 << 20}, optional,
           "Tokens to write unless the model ends earlier");
  f.part("sampling", s.sampling, optional, "How the next token is chosen");
}

RunSpec load_run(const std::string& path, const std::vector<std::string>& overrides) {
  config::YamlNode root = config::read_yaml(path);
  RunSpec run;
  for (const std::string& text : overrides) {
    if (is_run_key(text)) {
      config::apply_override(root, text);
    } else {
      run.chip_overrides.push_back(text);
    }
  }
  config::load_fields(root, "run", run_schema, [&](config::Fields& f) { describe(f, run); });
  run.model = beside(path, run.model);
  if (run.chip.find('/') != std::string::npos || run.chip.ends_with(".yaml")) run.chip = beside(path, run.chip);
  return run;
}

std::string config_reference_page() {
  config::ChipSpec chip;
  RunSpec run;
  return "<!-- Written by `heddle docs config`; a test compares. -->\n" +
         config::fields_page("Configuration reference: chips", "chip", config::chip_schema,
                             [&](config::Fields& f) { describe(f, chip); }) +
         "\n" + config::fields_page("Configuration reference: run files", "run", run_schema, [&](config::Fields& f) {
           describe(f, run);
         });
}

}  // namespace heddle::app
