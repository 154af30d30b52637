// SPDX-License-Identifier: Apache-2.0
// One line of assembly text as tokens, and a cursor over them that reports what was expected where.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "isa/asm/source_text.hpp"

namespace heddle::isa {

enum class TokenKind : std::uint8_t { end, name, text, integer, real, mark };

struct Token {
  TokenKind kind = TokenKind::end;
  Place place;
  std::string_view spelling;  // as in the source; a mark is one character
  std::string value;          // of a text: without quotes and escapes
  std::int64_t integer = 0;   // of an integer
  bool hexadecimal = false;   // of an integer: its bits may be meant
  double real = 0;            // of a real
  float single = 0;           // of a real: the nearest fp32 of its spelling, rounded once

  bool is(char mark) const { return kind == TokenKind::mark && spelling[0] == mark; }
  bool is(std::string_view name) const { return kind == TokenKind::name && spelling == name; }
};

// Splits line `number` of `text`. The last token is an `end`. Throws HDL-ASM-01.
std::vector<Token> tokenize(const SourceText& text, std::uint32_t number);

class Cursor {
 public:
  Cursor(const SourceText& text, std::vector<Token> tokens) : text_(&text), tokens_(std::move(tokens)) {}

  const Token& peek(std::size_t ahead = 0) const;
  const Token& next();
  bool at_end() const { return peek().kind == TokenKind::end; }
  bool accept(char mark);
  void expect(char mark, std::string_view why);
  void expect_end();
  // A name, or a quoted text where a name may have any characters.
  std::string expect_name(std::string_view what);
  // Throws HDL-ASM-02: "expected WHAT, found ..." at the next token.
  [[noreturn]] void expected(std::string_view what) const;
  const SourceText& text() const { return *text_; }

 private:
  const SourceText* text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

bool is_plain_name(std::string_view name);  // needs no quotes
std::string quoted(std::string_view value);
std::string name_or_quoted(std::string_view name);

}  // namespace heddle::isa
