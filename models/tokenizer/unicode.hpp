// SPDX-License-Identifier: Apache-2.0
// The few Unicode properties that tokenizers ask for.
#pragma once
#include <string>
#include <string_view>

namespace heddle::tokenizer {

bool is_letter(char32_t c);      // \p{L}
bool is_number(char32_t c);      // \p{N}
bool is_word_char(char32_t c);   // \w of UTS #18
bool is_whitespace(char32_t c);  // \s: the White_Space property

// Normalisation form C (UAX #15). Bytes that are not UTF-8 stay as they are and part the text.
std::string to_nfc(std::string_view text);

}  // namespace heddle::tokenizer
