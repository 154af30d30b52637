// SPDX-License-Identifier: Apache-2.0
// Looking into JSON that may hold anything. Private: only .cpp files that link nlohmann_json include it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "isa/base/error.hpp"

namespace heddle::tokenizer {

using Json = nlohmann::json;

inline Json parse_object(std::string_view text, const std::string& path) {
  Json result;
  try {
    result = Json::parse(text.begin(), text.end());
  } catch (const Json::exception& e) {
    fail_at({path}, ErrorKind::bad_input, "HDL-TOK-04", "not valid JSON: {}", e.what());
  }
  if (!result.is_object())
    fail_at({path}, ErrorKind::bad_input, "HDL-TOK-04", "a JSON {}, expected an object", result.type_name());
  return result;
}

// nullptr where `object` is no object, or the key is absent or null.
inline const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

inline bool flag(const Json& object, const char* key, bool fallback) {
  const Json* found = find(object, key);
  return found != nullptr && found->is_boolean() ? found->get<bool>() : fallback;
}

}  // namespace heddle::tokenizer
