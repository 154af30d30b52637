// SPDX-License-Identifier: Apache-2.0
// JSON with the errors of this folder. Private: only .cpp files that link nlohmann_json include it.
#pragma once
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "isa/base/error.hpp"

namespace heddle::weights {

using Json = nlohmann::json;

// An object. Throws HDL-WGT-04 for text that is not JSON, not an object, or that names a key of the outermost object
// twice (nlohmann-json would keep the last one in silence).
inline Json parse_json_object(std::string_view text, const std::string& path) {
  std::set<std::string> seen;
  std::string twice;
  const auto note_key = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1 && !seen.insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  Json result;
  try {
    result = Json::parse(text.begin(), text.end(), note_key);
  } catch (const Json::exception& e) {
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-04", "not valid JSON: {}", e.what());
  }
  if (!twice.empty()) fail_at({path}, ErrorKind::bad_input, "HDL-WGT-06", "'{}' is given twice", twice);
  if (!result.is_object())
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-04", "a JSON {}, expected an object", result.type_name());
  return result;
}

}  // namespace heddle::weights
