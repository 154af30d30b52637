// SPDX-License-Identifier: Apache-2.0
#include "sim/app/result_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>

#include "isa/base/error.hpp"
#include "isa/base/read_file.hpp"
#include "sim/app/output.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr int most_depth = 64;  // a result has 8; writing JSON recurses

// The deepest nesting of arrays and objects, braces in strings left aside.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

// What was found, short enough for a line.
std::string shown(const nlohmann::json& json) {
  std::string text = json.is_structured() ? std::string("an ") + json.type_name()
                                          : json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

}  // namespace

nlohmann::json read_result(const std::string& path) {
  const std::optional<std::string> text = read_file(path, most_bytes);
  if (!text) fail_at({path}, ErrorKind::bad_input, "HDL-RES-01", "cannot be read: {}", std::strerror(errno));
  if (depth_of(*text) > most_depth)
    fail_at({path}, ErrorKind::bad_input, "HDL-RES-02", "is no result: nested deeper than {} levels", most_depth);
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(*text);
  } catch (const nlohmann::json::parse_error& e) {
    fail_at({path}, ErrorKind::bad_input, "HDL-RES-02", "is not JSON, or cut off: something is wrong at byte {} of {}",
            e.byte, text->size());
  } catch (const nlohmann::json::exception&) {
    fail_at({path}, ErrorKind::bad_input, "HDL-RES-02", "is not JSON of a result: a number is out of range");
  }
  if (!json.is_object() || !json.contains("schema"))
    fail_at({path}, ErrorKind::bad_input, "HDL-RES-03", "is not a result of --json: it has no key \"schema\"");
  if (json["schema"] != result_schema)
    fail_at({path}, ErrorKind::bad_input, "HDL-RES-03", "has the schema {}; this program reads \"{}\"",
            shown(json["schema"]), result_schema);
  return json;
}

std::string ResultView::joined(std::string_view key) const {
  std::string out = place_;
  if (!out.empty()) out += '.';
  return out += key.substr(0, 40);
}

void ResultView::wrong(std::string_view expected) const {
  fail_at({file_}, ErrorKind::bad_input, "HDL-RES-04", "{} is {}, not {}", place_, shown(*json_), expected);
}

bool ResultView::has(std::string_view key) const {
  if (!json_->is_object()) wrong("an object");
  const auto found = json_->find(key);
  return found != json_->end() && !found->is_null();
}

ResultView ResultView::at(std::string_view key) const {
  if (!has(key)) fail_at({file_}, ErrorKind::bad_input, "HDL-RES-04", "has no {}", joined(key));
  return {*json_->find(key), file_, joined(key)};
}

double ResultView::number() const {
  if (!json_->is_number()) wrong("a number");
  const auto value = json_->get<double>();
  if (!std::isfinite(value) || value < 0 || value > 1e18) wrong("a number from 0 to 1e18");
  return value;
}

std::uint64_t ResultView::whole() const {
  const double value = number();
  if (value != std::floor(value)) wrong("a whole number");
  return json_->is_number_integer() ? json_->get<std::uint64_t>() : static_cast<std::uint64_t>(value);
}

std::string ResultView::text() const {
  if (!json_->is_string()) wrong("a string");
  return json_->get<std::string>();
}

}  // namespace heddle::app
