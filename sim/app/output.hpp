// SPDX-License-Identifier: Apache-2.0
// Results go to stdout, messages and progress to stderr.
#pragma once
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace heddle::app {

inline constexpr std::string_view result_schema = "heddle.result/1";

void print_result(std::string_view text);  // as it stands, flushed

// Throws what write_file() would throw for this target, before hours are spent on what it should hold. Nothing for "-"
// and for the empty name of a file that nobody asked for.
void require_writable(const std::string& target);

// Writes the JSON with a final newline: to stdout for "-", else to a temporary name beside `target` that is renamed
// when complete, so that a reader never sees half a file. Throws bad_input if it cannot be written.
void write_json(const std::string& target, const nlohmann::json& json);

// The same for any text.
void write_file(const std::string& target, std::string_view content);

// One line on stderr that shows how far a long task is. Silent when stderr is no terminal, when told to be quiet, and
// for the first second; wiped when it goes out of scope.
class Progress {
 public:
  Progress(std::string label, double total, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void at(double done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  double total_;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace heddle::app
