// SPDX-License-Identifier: Apache-2.0
#include "isa/base/error.hpp"

namespace heddle {

std::string Error::compose(const std::string& id, const std::string& message, const SourceLocation& where) {
  std::string text;
  if (!where.file.empty()) {
    text = where.file;
    if (where.line != 0) text += fmt::format(":{}", where.line);
    if (where.line != 0 && where.column != 0) text += fmt::format(":{}", where.column);
    text += ": ";
  }
  if (!id.empty()) text += id + ": ";
  return text + message;
}

}  // namespace heddle
