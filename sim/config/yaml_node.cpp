// SPDX-License-Identifier: Apache-2.0
#include "sim/config/yaml_node.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>

#include "isa/base/read_file.hpp"

namespace heddle::config {
namespace {

constexpr std::size_t most_bytes = 1 << 20;
constexpr std::size_t most_levels = 16;
constexpr const char* syntax_id = "HDL-CFG-02";

// Builds the tree from the parser's events. yaml-cpp's own nodes would do, but they merge aliases silently, keep
// repeated keys, and recurse as deep as the text tells them to.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string file) : file_(std::move(file)) {}

  YamlNode take() { return std::move(root_); }
  bool done() const { return done_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override { done_ = true; }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(make(YamlNode::Kind::null, mark, anchor)); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    YamlNode node = make(YamlNode::Kind::scalar, mark, anchor);
    node.text = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make(YamlNode::Kind::sequence, mark, anchor));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make(YamlNode::Kind::map, mark, anchor));
  }
  void OnMapEnd() override { close(); }

 private:
  SourceLocation at(const YAML::Mark& mark) const {
    return {file_, static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
  }

  [[noreturn]] void refuse_anchor(const YAML::Mark& mark) const {
    fail_at(at(mark), ErrorKind::bad_input, syntax_id, "anchors and aliases are not supported; write the value out");
  }

  YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) refuse_anchor(mark);
    YamlNode node;
    node.kind = kind;
    node.where = at(mark);
    return node;
  }

  void open(YamlNode node) {
    if (open_.size() >= most_levels)
      fail_at(node.where, ErrorKind::bad_input, syntax_id, "nested deeper than {} levels", most_levels);
    open_.push_back(std::move(node));
  }

  void close() {
    YamlNode node = std::move(open_.back());
    open_.pop_back();
    add(std::move(node));
  }

  // A map's keys and values alternate; a key is complete before its value begins.
  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    YamlNode& parent = open_.back();
    if (!parent.is_map() || parent.keys.size() > parent.items.size()) {
      parent.items.push_back(std::move(node));
      return;
    }
    if (node.kind != YamlNode::Kind::scalar)
      fail_at(node.where, ErrorKind::bad_input, syntax_id, "a key has to be a plain word, not {}", name(node.kind));
    if (const YamlNode* first = parent.find(node.text))
      fail_at(node.where, ErrorKind::bad_input, "HDL-CFG-03", "key '{}' stands twice in one map (first on line {})",
              node.text, first->where.line);
    parent.keys.push_back(std::move(node));
  }

  std::string file_;
  std::vector<YamlNode> open_;
  YamlNode root_;
  bool done_ = false;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  if (!is_map()) return nullptr;
  const std::size_t complete = std::min(keys.size(), items.size());
  for (std::size_t i = 0; i < complete; ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

std::string_view name(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::scalar:
      return "a value";
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
    case YamlNode::Kind::null:
      break;
  }
  return "nothing";
}

YamlNode parse_yaml(const std::string& text, const std::string& file) {
  if (text.size() > most_bytes)
    fail_at({file}, ErrorKind::bad_input, syntax_id, "{} bytes of YAML; the most is {}", text.size(), most_bytes);
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos)
    fail_at({file}, ErrorKind::bad_input, syntax_id, "is not text: byte {} is zero", nul);
  TreeBuilder builder(file);
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    TreeBuilder second(file);
    if (parser.HandleNextDocument(second) && second.done())
      fail_at({file}, ErrorKind::bad_input, syntax_id, "holds more than one YAML document");
  } catch (const YAML::Exception& e) {
    SourceLocation where{file};
    if (!e.mark.is_null())
      where = {file, static_cast<std::uint32_t>(e.mark.line + 1), static_cast<std::uint32_t>(e.mark.column + 1)};
    fail_at(where, ErrorKind::bad_input, syntax_id, "not YAML: {}", e.msg);
  }
  return builder.take();
}

YamlNode read_yaml(const std::string& path) {
  const std::optional<std::string> text = read_file(path, most_bytes);
  if (!text) fail_at({path}, ErrorKind::bad_input, "HDL-CFG-01", "cannot be read: {}", std::strerror(errno));
  return parse_yaml(*text, path);
}

void apply_override(YamlNode& root, const std::string& key_value) {
  const SourceLocation where{"--set " + key_value};
  const std::size_t equals = key_value.find('=');
  if (equals == std::string::npos || equals == 0)
    fail_at(where, ErrorKind::bad_input, "HDL-CFG-09", "an override is key=value, such as core.mxu.rows=128");
  YamlNode value = parse_yaml(key_value.substr(equals + 1), where.file);
  YamlNode* node = &root;
  std::istringstream path(key_value.substr(0, equals));
  std::string key;
  while (std::getline(path, key, '.')) {
    if (key.empty()) fail_at(where, ErrorKind::bad_input, "HDL-CFG-09", "a part of the key is empty");
    if (node->kind == YamlNode::Kind::null) node->kind = YamlNode::Kind::map;
    if (!node->is_map())
      fail_at(where, ErrorKind::bad_input, "HDL-CFG-09", "'{}' cannot be set inside {}", key, name(node->kind));
    if (node->find(key) == nullptr) {
      YamlNode word;
      word.kind = YamlNode::Kind::scalar;
      word.text = key;
      word.where = where;
      node->keys.push_back(std::move(word));
      node->items.emplace_back().where = where;
    }
    node = const_cast<YamlNode*>(node->find(key));
  }
  // Every piece of the value names the override, not a line of its own.
  std::vector<YamlNode*> todo{&value};
  while (!todo.empty()) {
    YamlNode* n = todo.back();
    todo.pop_back();
    n->where = where;
    for (YamlNode& child : n->items) todo.push_back(&child);
    for (YamlNode& child : n->keys) todo.push_back(&child);
  }
  *node = std::move(value);
}

}  // namespace heddle::config
