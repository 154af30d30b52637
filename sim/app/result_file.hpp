// SPDX-License-Identifier: Apache-2.0
// A result that --json wrote, read again: by `heddle diff` and `heddle report`. The file may come from anywhere.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heddle::app {

// The result in `path`. Throws bad_input: HDL-RES-01 if it cannot be read, HDL-RES-02 if it is not JSON (a file that
// was cut off, one nested deeper than any result), HDL-RES-03 if it is not a result or of another schema than
// `heddle.result/1`.
nlohmann::json read_result(const std::string& path);

// Looks values up in a result and says which key is wrong, as HDL-RES-04 with the file's name:
// "stalls.engines[3].core".
class ResultView {
 public:
  ResultView(const nlohmann::json& json, std::string file, std::string place = {})
      : json_(&json), file_(std::move(file)), place_(std::move(place)) {}

  // A key that has to be there.
  ResultView at(std::string_view key) const;
  // Absent and null are the same: keys that a run does not have are null.
  bool has(std::string_view key) const;
  // Finite, at least 0 and at most 1e18: every quantity of a result is.
  double number() const;
  std::uint64_t whole() const;
  std::string text() const;
  // For each element, with its place; the value must be an array or an object respectively.
  template <class F>
  void each(F&& visit) const {
    if (!json_->is_array()) wrong("an array");
    std::size_t i = 0;
    for (const nlohmann::json& element : *json_)
      visit(ResultView(element, file_, place_ + "[" + std::to_string(i++) + "]"));
  }
  template <class F>
  void each_key(F&& visit) const {
    if (!json_->is_object()) wrong("an object");
    for (const auto& [key, value] : json_->items()) visit(key, ResultView(value, file_, joined(key)));
  }
  const nlohmann::json& json() const { return *json_; }
  [[noreturn]] void wrong(std::string_view expected) const;

 private:
  std::string joined(std::string_view key) const;
  const nlohmann::json* json_;
  std::string file_;
  std::string place_;
};

}  // namespace heddle::app
