// SPDX-License-Identifier: Apache-2.0
// UTF-8, read and written without ever failing on what is not UTF-8.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::tokenizer {

struct CodePoint {
  char32_t value = 0;      // where invalid: the byte itself
  std::uint8_t bytes = 0;  // 1 where invalid
  bool valid = false;
};

// The code point at the start of `text`, which is not empty. Overlong forms, surrogates and values past U+10FFFF are
// invalid.
CodePoint first_code_point(std::string_view text);

void append_utf8(std::string& out, char32_t code_point);

// Bytes at the end of `text` that begin a code point but do not finish it: 0 to 3.
std::size_t incomplete_tail(std::string_view text);

// Appends `bytes`, each maximal ill-formed part replaced by U+FFFD (Unicode 16, section 3.9, "substitution of maximal
// subparts").
void append_lossy(std::string& out, std::string_view bytes);

}  // namespace heddle::tokenizer
