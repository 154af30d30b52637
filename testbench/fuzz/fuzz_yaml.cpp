// SPDX-License-Identifier: Apache-2.0
// Any bytes as a chip's YAML, and as the value of an override: a clear error or a chip that prints and loads back.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "isa/base/error.hpp"
#include "sim/config/load_chip.hpp"
#include "sim/config/yaml_node.hpp"

using heddle::Error;
using heddle::ErrorKind;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const heddle::config::ChipSpec chip = heddle::config::parse_chip(text, "fuzz", "fuzz.yaml");
    const std::string shown = show_chip(chip);
    if (show_chip(heddle::config::parse_chip(shown, "fuzz", "shown.yaml")) != shown) std::abort();
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::bad_input) std::abort();
  }
  try {
    heddle::config::YamlNode root = heddle::config::parse_yaml("a: {b: 1}", "fuzz.yaml");
    heddle::config::apply_override(root, text);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::bad_input) std::abort();
  }
  return 0;
}
