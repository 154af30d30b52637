// SPDX-License-Identifier: Apache-2.0
#include "models/tokenizer/byte_level.hpp"

#include "models/tokenizer/utf8.hpp"

namespace heddle::tokenizer {

namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

struct Alphabet {
  std::array<char32_t, 256> chars{};
  std::array<std::int16_t, 0x144> bytes{};
  constexpr Alphabet() {
    for (auto& b : bytes) b = -1;
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const char32_t c = stands_for_itself(byte) ? static_cast<char32_t>(byte) : next++;
      chars[static_cast<std::size_t>(byte)] = c;
      bytes[c] = static_cast<std::int16_t>(byte);
    }
  }
};
constexpr Alphabet alphabet;

}  // namespace

char32_t byte_to_char(std::uint8_t byte) { return alphabet.chars[byte]; }

std::optional<std::uint8_t> char_to_byte(char32_t c) {
  if (c >= alphabet.bytes.size() || alphabet.bytes[c] < 0) return std::nullopt;
  return static_cast<std::uint8_t>(alphabet.bytes[c]);
}

std::optional<std::string> decode_byte_level(std::string_view token) {
  std::string out;
  while (!token.empty()) {
    const CodePoint c = first_code_point(token);
    const auto byte = c.valid ? char_to_byte(c.value) : std::nullopt;
    if (!byte) return std::nullopt;
    out.push_back(static_cast<char>(*byte));
    token.remove_prefix(c.bytes);
  }
  return out;
}

std::string encode_byte_level(std::string_view bytes) {
  std::string out;
  for (const char b : bytes) append_utf8(out, byte_to_char(static_cast<std::uint8_t>(b)));
  return out;
}

}  // namespace heddle::tokenizer
