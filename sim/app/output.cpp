// SPDX-License-Identifier: Apache-2.0
#include "sim/app/output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "isa/base/error.hpp"

namespace heddle::app {

void print_result(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

namespace {

// Text that is not UTF-8 (a token cut in the middle of a character) must not stop the result from being written.
std::string dump_scalar(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// As json.dump(2) has it, but numbers of an array stand in rows: a timeline has millions.
void dump(std::string& out, const nlohmann::json& json, std::size_t indent) {
  constexpr std::size_t numbers_a_row = 32;
  if (!json.is_structured() || json.empty()) {
    out += dump_scalar(json);
    return;
  }
  const auto new_line = [&](std::size_t spaces) { out.append("\n").append(spaces, ' '); };
  const bool object = json.is_object();
  const bool rows =
      json.is_array() && std::all_of(json.begin(), json.end(), [](const auto& e) { return e.is_number(); });
  out += object ? '{' : '[';
  std::size_t n = 0;
  for (auto at = json.begin(); at != json.end(); ++at, ++n) {
    if (n > 0) out += rows && n % numbers_a_row != 0 ? ", " : ",";
    if (!rows || n % numbers_a_row == 0) new_line(indent + 2);
    if (object) out += dump_scalar(at.key()) + ": ";
    dump(out, *at, indent + 2);
  }
  new_line(indent);
  out += object ? '}' : ']';
}

}  // namespace

void write_json(const std::string& target, const nlohmann::json& json) {
  std::string text;
  dump(text, json, 0);
  text += "\n";
  if (target == "-") {
    print_result(text);
  } else {
    write_file(target, text);
  }
}

namespace {

// A device or a pipe (/dev/stdout) cannot be replaced by renaming.
bool written_in_place(const std::string& target) {
  std::error_code error;
  return std::filesystem::exists(target, error) && !std::filesystem::is_regular_file(target, error);
}

std::string temporary_name(const std::string& target) { return fmt::format("{}.{}.tmp", target, getpid()); }

[[noreturn]] void refuse(const std::string& target) {
  fail_at({target}, ErrorKind::bad_input, "HDL-APP-01", "cannot be written: {}", std::strerror(errno));
}

}  // namespace

void require_writable(const std::string& target) {
  if (target.empty() || target == "-") return;
  const bool in_place = written_in_place(target);
  const std::string probe = in_place ? target : temporary_name(target);
  std::FILE* file = std::fopen(probe.c_str(), "ab");
  if (file == nullptr) refuse(target);
  std::fclose(file);
  if (!in_place) std::remove(probe.c_str());
}

void write_file(const std::string& target, std::string_view content) {
  const bool in_place = written_in_place(target);
  const std::string written = in_place ? target : temporary_name(target);
  std::FILE* file = std::fopen(written.c_str(), "wb");
  if (file == nullptr) refuse(target);
  const bool complete = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const bool closed = std::fclose(file) == 0;
  if (complete && closed && (in_place || std::rename(written.c_str(), target.c_str()) == 0)) return;
  const int reason = errno;
  if (!in_place) std::remove(written.c_str());
  errno = reason;
  refuse(target);
}

Progress::Progress(std::string label, double total, bool quiet)
    : label_(std::move(label)), total_(total), enabled_(!quiet && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::at(double done) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now - start_ < std::chrono::seconds(1) || (shown_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  shown_ = true;
  constexpr int width = 30;
  const double part = total_ > 0 ? std::clamp(done / total_, 0.0, 1.0) : 0.0;
  const int filled = static_cast<int>(part * width);
  fmt::print(stderr, "\r\x1b[K{} [{}{}] {:.0f} %", label_, std::string(static_cast<std::size_t>(filled), '='),
             std::string(static_cast<std::size_t>(width - filled), ' '), part * 100);
  std::fflush(stderr);
}

}  // namespace heddle::app
