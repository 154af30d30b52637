// SPDX-License-Identifier: Apache-2.0
// An assembly file as lines, and errors that show where in it they are.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/error.hpp"

namespace heddle::isa {

// A stretch of one line: both 1-based, columns in bytes.
struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t length = 1;
};

class SourceText {
 public:
  // `text` must outlive this.
  SourceText(std::string_view text, std::string file_name);

  std::uint32_t line_count() const { return static_cast<std::uint32_t>(lines_.size()); }
  std::string_view line(std::uint32_t number) const { return lines_[number - 1]; }
  const std::string& file_name() const { return file_name_; }

  // Throws bad_input at `place`. The message gets the source line and a caret line below it.
  template <class... Args>
  [[noreturn]] void fail(Place place, const char* id, fmt::format_string<Args...> text, Args&&... args) const {
    raise(place, id, fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  [[noreturn]] void raise(Place place, const char* id, std::string message) const;
  std::vector<std::string_view> lines_;
  std::string file_name_;
};

}  // namespace heddle::isa
