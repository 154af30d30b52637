// SPDX-License-Identifier: Apache-2.0
// A YAML document as a small tree that remembers where each piece stood, whatever wrote it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/base/error.hpp"

namespace heddle::config {

struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };
  Kind kind = Kind::null;
  std::string text;             // of a scalar
  std::vector<YamlNode> items;  // of a sequence; of a map: the values
  std::vector<YamlNode> keys;   // of a map: one scalar per value
  SourceLocation where;

  bool is_map() const { return kind == Kind::map; }
  const YamlNode* find(std::string_view key) const;  // nullptr: no such key, or not a map
};

std::string_view name(YamlNode::Kind kind);  // "a map", "a list", "a value", "nothing"

// Parses one YAML document. Throws bad_input at the place of: a syntax error, a repeated key, a key that is no scalar,
// an anchor or alias (none of our files needs one, and a few lines of them can stand for gigabytes), a second document,
// nesting past 16 levels, more than 1 MiB of text. An empty document is a null node.
YamlNode parse_yaml(const std::string& text, const std::string& file);

// The same from a file. Throws bad_input if it cannot be read.
YamlNode read_yaml(const std::string& path);

// Sets "a.b.c=value" in the tree, making maps on the way; the value is itself YAML. Errors later found in it name the
// override. Throws bad_input if there is no '=' or an empty key, or if a prefix of the path is a scalar.
void apply_override(YamlNode& root, const std::string& key_value);

}  // namespace heddle::config
