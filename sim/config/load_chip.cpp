// SPDX-License-Identifier: Apache-2.0
#include "sim/config/load_chip.hpp"

#include <algorithm>
#include <filesystem>

#include "isa/base/error.hpp"
#include "isa/base/nearest.hpp"
#include "sim/config/check_chip.hpp"
#include "sim/config/describe_chip.hpp"
#include "sim/config/load_fields.hpp"
#include "sim/config/print_fields.hpp"
#include "sim/config/yaml_node.hpp"

namespace heddle::config {
namespace {

namespace fs = std::filesystem;

// The presets of the source tree this was built from.
fs::path preset_folder() { return fs::path(HEDDLE_CONFIG_DIR) / "chip"; }

ChipSpec build(YamlNode root, const std::string& name, const std::string& file,
               const std::vector<std::string>& overrides) {
  for (const std::string& o : overrides) apply_override(root, o);
  ChipSpec chip;
  chip.name = name;
  chip.source_file = file;
  load_fields(root, "chip", chip_schema, [&](Fields& f) { describe(f, chip); });
  return chip;
}

ChipSpec checked(ChipSpec chip) {
  if (const std::vector<std::string> problems = chip_problems(chip); !problems.empty())
    fail_at({chip.source_file}, ErrorKind::bad_input, "HDL-CFG-15", "{}{}", problems.front(),
            problems.size() > 1 ? fmt::format(" (and {} more; see heddle chip check)", problems.size() - 1) : "");
  return chip;
}

}  // namespace

ChipSpec read_chip(const std::string& path_or_preset, const std::vector<std::string>& overrides) {
  const std::string file = resolve_chip(path_or_preset);
  return build(read_yaml(file), fs::path(file).stem().string(), file, overrides);
}

ChipSpec load_chip(const std::string& path_or_preset, const std::vector<std::string>& overrides) {
  return checked(read_chip(path_or_preset, overrides));
}

ChipSpec parse_chip(const std::string& yaml, const std::string& name, const std::string& file,
                    const std::vector<std::string>& overrides) {
  return checked(build(parse_yaml(yaml, file), name, file, overrides));
}

std::string show_chip(const ChipSpec& chip) {
  ChipSpec copy = chip;
  return print_fields(chip_schema, [&](Fields& f) { describe(f, copy); });
}

std::vector<std::string> chip_presets() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(preset_folder(), error))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string resolve_chip(const std::string& path_or_preset) {
  std::error_code error;
  if (fs::exists(path_or_preset, error) && !fs::is_directory(path_or_preset, error)) return path_or_preset;
  const bool names_file = path_or_preset.find('/') != std::string::npos || path_or_preset.ends_with(".yaml");
  if (names_file) fail_at({path_or_preset}, ErrorKind::bad_input, "HDL-CFG-01", "no such chip file");
  const std::vector<std::string> presets = chip_presets();
  if (std::find(presets.begin(), presets.end(), path_or_preset) != presets.end())
    return (preset_folder() / (path_or_preset + ".yaml")).string();
  fail(ErrorKind::bad_input, "HDL-CFG-01", "no chip '{}': neither a file nor one of the presets ({}){}", path_or_preset,
       fmt::join(presets, ", "), did_you_mean(path_or_preset, {presets.begin(), presets.end()}));
}

}  // namespace heddle::config
