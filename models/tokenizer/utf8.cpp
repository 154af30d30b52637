// SPDX-License-Identifier: Apache-2.0
#include "models/tokenizer/utf8.hpp"

#include <algorithm>

namespace heddle::tokenizer {

namespace {

constexpr char32_t replacement = 0xfffd;

// Table 3-7 of the Unicode standard: how long a sequence with this first byte is, and which second bytes it may have.
struct Lead {
  std::uint8_t length;  // 0: no sequence begins so
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xbf;
};
Lead lead(std::uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xc2) return {0};
  if (byte < 0xe0) return {2};
  if (byte < 0xf0)
    return {3, static_cast<std::uint8_t>(byte == 0xe0 ? 0xa0 : 0x80),
            static_cast<std::uint8_t>(byte == 0xed ? 0x9f : 0xbf)};
  if (byte < 0xf5)
    return {4, static_cast<std::uint8_t>(byte == 0xf0 ? 0x90 : 0x80),
            static_cast<std::uint8_t>(byte == 0xf4 ? 0x8f : 0xbf)};
  return {0};
}

// Length of the longest start of `text` that is the start of a well-formed sequence; `complete` if it is a whole one.
std::size_t well_formed(std::string_view text, bool& complete) {
  const Lead l = lead(static_cast<std::uint8_t>(text[0]));
  std::size_t n = l.length == 0 ? 0 : 1;
  for (; n > 0 && n < l.length && n < text.size(); ++n) {
    const auto byte = static_cast<std::uint8_t>(text[n]);
    if (byte < (n == 1 ? l.low : 0x80) || byte > (n == 1 ? l.high : 0xbf)) break;
  }
  complete = l.length != 0 && n == l.length;
  return n;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  bool complete = false;
  const std::size_t n = well_formed(text, complete);
  const auto first = static_cast<std::uint8_t>(text[0]);
  if (!complete) return {first, 1, false};
  char32_t value = n == 1 ? first : first & (0xffu >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) value = (value << 6) | (static_cast<std::uint8_t>(text[i]) & 0x3fu);
  return {value, static_cast<std::uint8_t>(n), true};
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6));
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

std::size_t incomplete_tail(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const std::string_view tail = text.substr(text.size() - back);
    if ((static_cast<std::uint8_t>(tail[0]) & 0xc0) == 0x80) continue;  // a continuation: look further back
    bool complete = false;
    const std::size_t n = well_formed(tail, complete);
    return !complete && n == back ? back : 0;
  }
  return 0;
}

void append_lossy(std::string& out, std::string_view bytes) {
  while (!bytes.empty()) {
    bool complete = false;
    const std::size_t n = well_formed(bytes, complete);
    if (complete) {
      out.append(bytes.substr(0, n));
    } else {
      append_utf8(out, replacement);
    }
    bytes.remove_prefix(std::max<std::size_t>(n, 1));
  }
}

}  // namespace heddle::tokenizer
