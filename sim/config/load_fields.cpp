// SPDX-License-Identifier: Apache-2.0
#include "sim/config/load_fields.hpp"

#include <algorithm>
#include <charconv>

#include "isa/base/error.hpp"
#include "isa/base/nearest.hpp"

namespace heddle::config {
namespace {

// Lists the keys of one level without touching the struct.
class KeyCollector : public Fields {
 public:
  std::vector<std::string> keys;

  void number(std::string_view key, std::int64_t&, Unit, Range, Need, std::string_view) override { note(key); }
  void real(std::string_view key, double&, double, double, Need, std::string_view) override { note(key); }
  void ratio(std::string_view key, Ratio&, Range, Need, std::string_view) override { note(key); }
  void flag(std::string_view key, bool&, Need, std::string_view) override { note(key); }
  void text(std::string_view key, std::string&, Need, std::string_view) override { note(key); }
  void word(std::string_view key, std::size_t&, std::span<const std::string_view>, Need, std::string_view) override {
    note(key);
  }
  void rates(std::string_view key, Rates&, Range, Need, std::string_view) override { note(key); }
  void group(std::string_view key, Need, std::string_view, const Body&) override { note(key); }

 private:
  void note(std::string_view key) { keys.emplace_back(key); }
};

[[noreturn]] void refuse_unknown(const YamlNode& key, const std::string& path, const std::vector<std::string>& known) {
  const std::string meant = did_you_mean(key.text, {known.begin(), known.end()});
  fail_at(key.where, ErrorKind::bad_input, "HDL-CFG-10", "unknown key '{}' in {}{}", key.text, path,
          meant.empty() ? fmt::format("; it may have {}", fmt::join(known, ", ")) : meant);
}

void check_keys(const YamlNode& map, const std::string& path, const std::vector<std::string>& known) {
  for (const YamlNode& key : map.keys)
    if (std::find(known.begin(), known.end(), key.text) == known.end()) refuse_unknown(key, path, known);
}

class Loader : public Fields {
 public:
  Loader(const YamlNode& map, std::string path, std::string prefix, std::int64_t clock_hz)
      : map_(map), path_(std::move(path)), prefix_(std::move(prefix)), clock_hz_(clock_hz) {}

  void number(std::string_view key, std::int64_t& member, Unit unit, Range range, Need need,
              std::string_view) override {
    const YamlNode* node = scalar(key, need);
    if (node == nullptr) return;
    const std::int64_t value = located(key, *node, [&] { return parse_quantity(node->text, unit, clock_hz_); });
    if (value < range.least || value > range.most)
      refuse_range(key, *node, format_quantity(range.least, unit), format_quantity(range.most, unit));
    member = value;
  }

  void real(std::string_view key, double& member, double least, double most, Need need, std::string_view) override {
    const YamlNode* node = scalar(key, need);
    if (node == nullptr) return;
    double value = 0;
    const char* end = node->text.data() + node->text.size();
    const auto [stop, error] = std::from_chars(node->text.data(), end, value);
    if (error != std::errc() || stop != end) refuse(key, *node, "a number");
    // Written so that a NaN is out of range too.
    if (!(value >= least && value <= most)) refuse_range(key, *node, fmt::format("{}", least), fmt::format("{}", most));
    member = value;
  }

  void ratio(std::string_view key, Ratio& member, Range range, Need need, std::string_view) override {
    if (const YamlNode* node = scalar(key, need)) member = ratio_in(key, *node, range);
  }

  void flag(std::string_view key, bool& member, Need need, std::string_view) override {
    const YamlNode* node = scalar(key, need);
    if (node == nullptr) return;
    if (node->text != "true" && node->text != "false") refuse(key, *node, "true or false");
    member = node->text == "true";
  }

  void text(std::string_view key, std::string& member, Need need, std::string_view) override {
    if (const YamlNode* node = scalar(key, need)) member = node->text;
  }

  void word(std::string_view key, std::size_t& index, std::span<const std::string_view> words, Need need,
            std::string_view) override {
    const YamlNode* node = scalar(key, need);
    if (node == nullptr) return;
    const auto found = std::find(words.begin(), words.end(), node->text);
    if (found == words.end()) refuse(key, *node, fmt::format("one of {}", fmt::join(words, ", ")));
    index = static_cast<std::size_t>(found - words.begin());
  }

  void rates(std::string_view key, Rates& member, Range range, Need need, std::string_view) override {
    const YamlNode* node = map_at(key, need);
    if (node == nullptr) return;
    std::vector<std::string> known;
    for (const DTypeInfo& t : dtype_infos) known.emplace_back(t.name);
    check_keys(*node, prefix_ + std::string(key), known);
    for (std::size_t i = 0; i < known.size(); ++i)
      if (const YamlNode* value = node->find(known[i])) {
        if (value->kind != YamlNode::Kind::scalar) refuse(known[i], *value, "a ratio");
        member[i] = ratio_in(known[i], *value, range);
      }
  }

  void group(std::string_view key, Need need, std::string_view, const Body& body) override {
    const YamlNode* node = map_at(key, need);
    if (node == nullptr) return;
    const std::string inner = prefix_ + std::string(key);
    KeyCollector known;
    body(known);
    check_keys(*node, inner, known.keys);
    Loader child(*node, inner, inner + ".", clock_hz_);
    body(child);
  }

  void cycles_are_of(std::int64_t clock_hz) override { clock_hz_ = clock_hz; }

 private:
  const YamlNode* present(std::string_view key, Need need) {
    const YamlNode* node = map_.find(key);
    if (node == nullptr && need == required)
      fail_at(map_.where, ErrorKind::bad_input, "HDL-CFG-11", "{} needs the key '{}'", path_, key);
    return node;
  }

  const YamlNode* scalar(std::string_view key, Need need) {
    const YamlNode* node = present(key, need);
    if (node != nullptr && node->kind != YamlNode::Kind::scalar) refuse(key, *node, "one value");
    return node;
  }

  const YamlNode* map_at(std::string_view key, Need need) {
    const YamlNode* node = present(key, need);
    if (node != nullptr && !node->is_map()) refuse(key, *node, "a map");
    return node;
  }

  Ratio ratio_in(std::string_view key, const YamlNode& node, Range range) {
    const Ratio r = located(key, node, [&] { return parse_ratio(node.text); });
    // A least of 0 admits zero; else anything above zero down to the finest ratio is fine.
    if ((r.num == 0 && range.least > 0) || r.num > range.most * r.den)
      refuse_range(key, node, range.least > 0 ? "more than 0" : "0", fmt::format("{}", range.most));
    return r;
  }

  // Runs a parser that knows no place, and adds ours to what it throws.
  template <class Parse>
  auto located(std::string_view key, const YamlNode& node, Parse parse) -> decltype(parse()) {
    try {
      return parse();
    } catch (const Error& e) {
      throw Error(e.kind(), e.id(), fmt::format("{} in {}: {}", key, path_, e.message()), node.where);
    }
  }

  [[noreturn]] void refuse(std::string_view key, const YamlNode& node, const std::string& wanted) {
    const std::string found =
        node.kind == YamlNode::Kind::scalar ? fmt::format("\"{}\"", node.text) : std::string(name(node.kind));
    fail_at(node.where, ErrorKind::bad_input, "HDL-CFG-12", "{} in {} has to be {}, not {}", key, path_, wanted, found);
  }

  [[noreturn]] void refuse_range(std::string_view key, const YamlNode& node, const std::string& least,
                                 const std::string& most) {
    fail_at(node.where, ErrorKind::bad_input, "HDL-CFG-13", "{} in {}: \"{}\" is out of range ({} to {})", key, path_,
            node.text, least, most);
  }

  const YamlNode& map_;
  std::string path_;    // "chip", "core.mxu": as messages say it
  std::string prefix_;  // what stands before an inner group's name: "", "core."
  std::int64_t clock_hz_;
};

}  // namespace

void load_fields(const YamlNode& root, std::string_view what, std::string_view schema, const Fields::Body& body) {
  if (!root.is_map())
    fail_at(root.where, ErrorKind::bad_input, "HDL-CFG-12", "{} has to be a map of keys, not {}", what,
            name(root.kind));
  KeyCollector known;
  known.keys.emplace_back("schema");
  body(known);
  check_keys(root, std::string(what), known.keys);
  const YamlNode* version = root.find("schema");
  if (version == nullptr)
    fail_at(root.where, ErrorKind::bad_input, "HDL-CFG-11", "{} needs the key 'schema' ({})", what, schema);
  if (version->text != schema)
    fail_at(version->where, ErrorKind::bad_input, "HDL-CFG-14", "schema \"{}\" is not {}", version->text, schema);
  Loader loader(root, std::string(what), "", 0);
  body(loader);
}

}  // namespace heddle::config
