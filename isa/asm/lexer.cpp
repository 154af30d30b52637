// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/lexer.hpp"

#include <algorithm>
#include <charconv>

#include "isa/image/image.hpp"

namespace heddle::isa {
namespace {

// ASCII alone, whatever the host's locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.'; }
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  Lexer(const SourceText& text, std::uint32_t number) : text_(text), number_(number), line_(text.line(number)) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
      if (at_ == line_.size() || line_[at_] == ';') break;
      start_ = at_;
      tokens.push_back(one());
      tokens.back().spelling = line_.substr(start_, at_ - start_);
      tokens.back().place = here();
    }
    Token end;
    end.place = {number_, static_cast<std::uint32_t>(at_ + 1), 1};
    tokens.push_back(end);
    return tokens;
  }

 private:
  Place here() const {
    return {number_, static_cast<std::uint32_t>(start_ + 1),
            static_cast<std::uint32_t>(std::max<std::size_t>(at_ - start_, 1))};
  }

  Token one() {
    const char c = line_[at_];
    if (is_digit(c)) return number();
    Token t;
    if (is_letter(c)) {
      while (at_ < line_.size() && (is_letter(line_[at_]) || is_digit(line_[at_]))) ++at_;
      t.kind = TokenKind::name;
      return t;
    }
    if (c == '"') return quoted_text();
    ++at_;
    if (std::string_view(",:=[]()+-*").find(c) == std::string_view::npos) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte > 0x20 && byte < 0x7f) text_.fail(here(), "HDL-ASM-01", "unexpected character '{}'", c);
      text_.fail(here(), "HDL-ASM-01", "unexpected byte {:#04x} (text outside quotes is plain ASCII)", byte);
    }
    t.kind = TokenKind::mark;
    return t;
  }

  Token quoted_text() {
    Token t;
    t.kind = TokenKind::text;
    ++at_;
    while (at_ < line_.size() && line_[at_] != '"') {
      char c = line_[at_++];
      if (c == '\\') c = escape();
      t.value += c;
    }
    if (at_ == line_.size()) text_.fail(here(), "HDL-ASM-01", "the quoted text does not end on this line");
    ++at_;
    if (t.value.size() > max_name_bytes)
      text_.fail(here(), "HDL-ASM-08", "a text of {} bytes (at most {})", t.value.size(), max_name_bytes);
    return t;
  }

  char escape() {
    const char c = at_ < line_.size() ? line_[at_++] : '\0';
    if (c == '\\' || c == '"') return c;
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c == 'x' && at_ + 1 < line_.size()) {
      const int high = hex_digit(line_[at_]);
      const int low = hex_digit(line_[at_ + 1]);
      if (high >= 0 && low >= 0) {
        at_ += 2;
        return static_cast<char>(high * 16 + low);
      }
    }
    text_.fail(here(), "HDL-ASM-01", R"(unknown escape in a quoted text (expected \\, \", \n, \t or \xNN))");
  }

  Token number() {
    const bool hex = line_[at_] == '0' && at_ + 1 < line_.size() && (line_[at_ + 1] == 'x' || line_[at_ + 1] == 'X');
    bool real = false;
    while (at_ < line_.size() && (is_letter(line_[at_]) || is_digit(line_[at_]))) {
      const char c = line_[at_++];
      const bool exponent = !hex && (c == 'e' || c == 'E');
      real = real || exponent || c == '.';
      if (exponent && at_ < line_.size() && (line_[at_] == '+' || line_[at_] == '-')) ++at_;
    }
    const std::string_view all = line_.substr(start_, at_ - start_);
    const std::string_view digits = hex ? all.substr(2) : all;
    const char* end = digits.data() + digits.size();
    Token t;
    std::from_chars_result r{};
    if (real && !hex) {
      t.kind = TokenKind::real;
      r = std::from_chars(digits.data(), end, t.real);
      const std::from_chars_result s = std::from_chars(digits.data(), end, t.single);
      if (r.ec == std::errc()) r.ec = s.ec;
    } else if (hex) {
      t.kind = TokenKind::integer;
      t.hexadecimal = true;
      std::uint64_t bits = 0;
      r = std::from_chars(digits.data(), end, bits, 16);
      t.integer = static_cast<std::int64_t>(bits);
    } else {
      t.kind = TokenKind::integer;
      r = std::from_chars(digits.data(), end, t.integer);
    }
    if (r.ec == std::errc::result_out_of_range)
      text_.fail(here(), "HDL-ASM-01", "the number '{}' is out of range of {}", all, real ? "fp32" : "64 bits");
    if (r.ec != std::errc() || r.ptr != end) text_.fail(here(), "HDL-ASM-01", "'{}' is not a number", all);
    return t;
  }

  const SourceText& text_;
  std::uint32_t number_;
  std::string_view line_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
};

}  // namespace

std::vector<Token> tokenize(const SourceText& text, std::uint32_t number) { return Lexer(text, number).run(); }

const Token& Cursor::peek(std::size_t ahead) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }

const Token& Cursor::next() {
  const Token& t = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return t;
}

bool Cursor::accept(char mark) {
  if (!peek().is(mark)) return false;
  next();
  return true;
}

void Cursor::expect(char mark, std::string_view why) {
  if (!accept(mark)) expected(fmt::format("'{}' {}", mark, why));
}

void Cursor::expect_end() {
  if (!at_end()) expected("the end of the line");
}

std::string Cursor::expect_name(std::string_view what) {
  if (peek().kind == TokenKind::text) return next().value;
  if (peek().kind == TokenKind::name) {
    if (peek().spelling.size() > max_name_bytes)
      text_->fail(peek().place, "HDL-ASM-08", "a name of {} bytes (at most {})", peek().spelling.size(),
                  max_name_bytes);
    return std::string(next().spelling);
  }
  expected(what);
}

void Cursor::expected(std::string_view what) const {
  const Token& t = peek();
  if (t.kind == TokenKind::end) text_->fail(t.place, "HDL-ASM-02", "expected {}, found the end of the line", what);
  text_->fail(t.place, "HDL-ASM-02", "expected {}, found '{}'", what, t.spelling.substr(0, 64));
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + '"';
}

std::string name_or_quoted(std::string_view name) { return is_plain_name(name) ? std::string(name) : quoted(name); }

}  // namespace heddle::isa
