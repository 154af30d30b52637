// SPDX-License-Identifier: Apache-2.0
// The byte-level alphabet of GPT-2: every byte has a printable character that stands for it in vocabularies.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::tokenizer {

// Printable Latin-1 bytes stand for themselves; the other 68 are U+0100 onwards, in byte order.
char32_t byte_to_char(std::uint8_t byte);
std::optional<std::uint8_t> char_to_byte(char32_t c);

// The bytes that a vocabulary entry stands for; nullopt where it holds a character that stands for none.
std::optional<std::string> decode_byte_level(std::string_view token);
std::string encode_byte_level(std::string_view bytes);

}  // namespace heddle::tokenizer
