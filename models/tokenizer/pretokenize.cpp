// SPDX-License-Identifier: Apache-2.0
#include "models/tokenizer/pretokenize.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/tokenizer/unicode.hpp"
#include "models/tokenizer/utf8.hpp"

namespace heddle::tokenizer {

namespace {

enum class Class : std::uint8_t { letter, number, space, other };

struct Char {
  char32_t value;
  std::size_t at;  // byte offset
  Class cls;
};

Class classify(const CodePoint& c) {
  if (!c.valid) return Class::other;
  if (c.value < 0x80) {
    const auto lower = static_cast<char>(c.value | 0x20);
    if (lower >= 'a' && lower <= 'z') return Class::letter;
    if (c.value >= '0' && c.value <= '9') return Class::number;
    return is_whitespace(c.value) ? Class::space : Class::other;
  }
  if (is_letter(c.value)) return Class::letter;
  if (is_number(c.value)) return Class::number;
  return is_whitespace(c.value) ? Class::space : Class::other;
}

// One text, and for each position how long a match of a rule is. Positions count characters; the last one is the end.
class Matcher {
 public:
  explicit Matcher(std::string_view text) : text_(text) {
    chars_.reserve(text.size() + 1);
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint c = first_code_point(text.substr(at));
      chars_.push_back({c.valid ? c.value : 0, at, classify(c)});
      at += c.bytes;
    }
    chars_.push_back({0, text.size(), Class::other});
  }

  void run(Split rule, std::vector<std::string_view>& words) const {
    for (std::size_t from = 0; from < end();) {
      std::size_t to = from;
      switch (rule) {
        case Split::digits_each:
          to = digits(from, 1);
          break;
        case Split::digits_runs:
          to = digits(from, end());
          break;
        case Split::gpt2:
          to = gpt2(from);
          break;
        case Split::llama3:
          to = llama3(from, 3);
          break;
        case Split::qwen2:
          to = llama3(from, 1);
          break;
      }
      words.push_back(text_.substr(chars_[from].at, chars_[to].at - chars_[from].at));
      from = to;
    }
  }

 private:
  std::size_t end() const { return chars_.size() - 1; }
  char32_t value(std::size_t i) const { return i < end() ? chars_[i].value : 0; }
  bool is(std::size_t i, Class cls) const { return i < end() && chars_[i].cls == cls; }
  bool is_newline(std::size_t i) const { return value(i) == '\r' || value(i) == '\n'; }
  std::size_t run_of(std::size_t i, Class cls, std::size_t most) const {
    std::size_t n = 0;
    while (n < most && is(i, cls)) ++i, ++n;
    return i;
  }
  std::size_t run_of(std::size_t i, Class cls) const { return run_of(i, cls, end()); }

  std::size_t digits(std::size_t i, std::size_t most) const {
    if (is(i, Class::number)) return run_of(i, Class::number, most);
    while (i < end() && !is(i, Class::number)) ++i;
    return i;
  }

  // After a contraction that begins at the apostrophe i; i where there is none. U+017F is the one character beyond
  // ASCII that a case-insensitive match takes for one of these letters.
  std::size_t contraction(std::size_t i, bool any_case) const {
    if (value(i) != '\'') return i;
    const auto letter = [&](std::size_t at) -> char32_t {
      const char32_t c = value(at);
      if (!any_case) return c;
      return c >= 'A' && c <= 'Z' ? (c | 0x20) : c == 0x17f ? U's' : c;
    };
    const char32_t a = letter(i + 1);
    if (a == 's' || a == 't' || a == 'm' || a == 'd') return i + 2;
    const char32_t b = letter(i + 2);
    return (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l') ? i + 3 : i;
  }

  // \s+(?!\S)|\s+ : a run of spaces less its last one where a word follows, unless it is the only one.
  std::size_t spaces(std::size_t i) const {
    const std::size_t to = run_of(i, Class::space);
    return to == end() || to - i == 1 ? to : to - 1;
  }

  std::size_t gpt2(std::size_t i) const {
    if (const std::size_t to = contraction(i, false); to > i) return to;
    const std::size_t word = value(i) == ' ' ? i + 1 : i;
    for (const Class cls : {Class::letter, Class::number, Class::other})
      if (is(word, cls)) return run_of(word, cls);
    return spaces(i);
  }

  std::size_t llama3(std::size_t i, std::size_t most_digits) const {
    if (const std::size_t to = contraction(i, true); to > i) return to;
    if (is(i, Class::letter)) return run_of(i, Class::letter);
    const bool lead = !is_newline(i) && !is(i, Class::number);
    if (lead && is(i + 1, Class::letter)) return run_of(i + 1, Class::letter);
    if (is(i, Class::number)) return run_of(i, Class::number, most_digits);
    const std::size_t word = value(i) == ' ' ? i + 1 : i;
    if (is(word, Class::other)) {
      std::size_t to = run_of(word, Class::other);
      while (is_newline(to)) ++to;
      return to;
    }
    // \s*[\r\n]+ takes the run of spaces up to its last line break.
    for (std::size_t to = run_of(i, Class::space); to > i; --to)
      if (is_newline(to - 1)) return to;
    return spaces(i);
  }

  std::string_view text_;
  std::vector<Char> chars_;
};

struct Pattern {
  std::string_view regex;
  Split split;
};
constexpr std::array<Pattern, 6> patterns{{
    {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", Split::gpt2},
    {R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", Split::gpt2},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Split::llama3},
    {R"((?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Split::llama3},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Split::qwen2},
    {R"((?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Split::qwen2},
}};

}  // namespace

std::optional<Split> split_of_regex(std::string_view regex) {
  const auto it = std::find_if(patterns.begin(), patterns.end(), [&](const Pattern& p) { return p.regex == regex; });
  if (it == patterns.end()) return std::nullopt;
  return it->split;
}

void split_words(Split rule, std::string_view text, std::vector<std::string_view>& words) {
  Matcher(text).run(rule, words);
}

}  // namespace heddle::tokenizer
