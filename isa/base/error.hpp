// SPDX-License-Identifier: Apache-2.0
// The one exception type. Every error has a kind, a stable identifier and, where there is one, a place.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace heddle {

enum class ErrorKind : std::uint8_t {
  bad_input,    // a file, flag or value from outside is wrong: the user mends it
  program,      // the simulated program did something undefined: the kernel's author mends it
  unsupported,  // well formed, but not something Heddle or this chip can do
  internal,     // our bug
};

struct SourceLocation {
  std::string file;
  std::uint32_t line = 0;    // 1-based; 0: unknown
  std::uint32_t column = 0;  // 1-based; 0: unknown
};

// what() is "file:line:col: ID: message" with the absent parts left out. IDs look like "HDL-ASM-03".
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string id, std::string message, SourceLocation where = {})
      : std::runtime_error(compose(id, message, where)),
        kind_(kind),
        id_(std::move(id)),
        message_(std::move(message)),
        where_(std::move(where)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& id() const { return id_; }
  const std::string& message() const { return message_; }
  const SourceLocation& where() const { return where_; }

 private:
  static std::string compose(const std::string& id, const std::string& message, const SourceLocation& where);
  ErrorKind kind_;
  std::string id_;
  std::string message_;
  SourceLocation where_;
};

template <class... Args>
[[noreturn]] void fail(ErrorKind kind, std::string id, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(kind, std::move(id), fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
[[noreturn]] void fail_at(SourceLocation where, ErrorKind kind, std::string id, fmt::format_string<Args...> text,
                          Args&&... args) {
  throw Error(kind, std::move(id), fmt::format(text, std::forward<Args>(args)...), std::move(where));
}

}  // namespace heddle
