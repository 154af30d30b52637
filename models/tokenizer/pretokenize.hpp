// SPDX-License-Identifier: Apache-2.0
// Splits text into the words within which BPE may merge. The rules are those that vocabularies were trained with, given
// by known regular expressions; each is a hand-written matcher here, so that no text can make it backtrack.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tokenizer {

enum class Split : std::uint8_t {
  digits_each,  // each \p{N} alone, the rest between them
  digits_runs,  // \p{N}+ and the rest between them
  gpt2,         // 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  llama3,       // (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
                // |\s*[\r\n]+|\s+(?!\S)|\s+
  qwen2,        // as llama3, with \p{N} in place of \p{N}{1,3}
};

// The rule that a tokenizer.json "Split" pattern spells; nullopt for any other expression.
std::optional<Split> split_of_regex(std::string_view regex);

// Appends the words of `text`, in order; together they are the text. Bytes that are not UTF-8 count as one
// character each, neither letter, number nor space. Time is linear in the text.
void split_words(Split rule, std::string_view text, std::vector<std::string_view>& words);

}  // namespace heddle::tokenizer
