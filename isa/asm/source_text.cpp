// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/source_text.hpp"

#include <algorithm>

namespace heddle::isa {
namespace {

constexpr std::size_t shown_bytes = 160;  // of a long line, around the error

}  // namespace

SourceText::SourceText(std::string_view text, std::string file_name) : file_name_(std::move(file_name)) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view one = text.substr(0, end);
    if (!one.empty() && one.back() == '\r') one.remove_suffix(1);
    lines_.push_back(one);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

void SourceText::raise(Place place, const char* id, std::string message) const {
  if (place.line >= 1 && place.line <= line_count()) {
    const std::string_view whole = line(place.line);
    const std::size_t at = std::min<std::size_t>(place.column - 1, whole.size());
    const std::size_t first = at > shown_bytes / 2 && whole.size() > shown_bytes ? at - shown_bytes / 2 : 0;
    std::string shown(whole.substr(first, shown_bytes));
    std::string carets(shown.substr(0, at - first));
    for (char& c : shown)
      if (c != '\t' && static_cast<unsigned char>(c) < 0x20) c = '?';
    for (char& c : carets)
      if (c != '\t') c = ' ';
    const std::size_t room = shown.size() - (at - first);
    carets += '^';
    carets.append(std::max<std::size_t>(std::min<std::size_t>(place.length, room), 1) - 1, '~');
    message += fmt::format("\n{:>6} | {}\n       | {}", place.line, shown, carets);
  }
  fail_at({file_name_, place.line, place.column}, ErrorKind::bad_input, id, "{}", message);
}

}  // namespace heddle::isa
