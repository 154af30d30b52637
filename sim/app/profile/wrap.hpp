// SPDX-License-Identifier: Apache-2.0
// Text in lines of a terminal's width.
#pragma once
#include <string>
#include <vector>

namespace heddle::app {

inline constexpr std::size_t terminal_columns = 120;

// The parts one behind another, in lines of at most terminal_columns where no part is longer; all lines but the first
// begin with `indent` spaces, and the first has as much less room. Ends with a newline.
inline std::string wrapped(const std::vector<std::string>& parts, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (const std::string& p : parts) {
    if (column > indent && column + p.size() > terminal_columns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    out += p;
    column += p.size();
  }
  return out + "\n";
}

}  // namespace heddle::app
