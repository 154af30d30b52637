// SPDX-License-Identifier: Apache-2.0
// UTF-8, Unicode classes and the splits on their own. Class values: UnicodeData.txt.
#include "models/tokenizer/byte_level.hpp"
#include "models/tokenizer/pretokenize.hpp"
#include "models/tokenizer/unicode.hpp"
#include "models/tokenizer/utf8.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle::tokenizer;

namespace {

std::string lossy(std::string_view bytes) {
  std::string out;
  append_lossy(out, bytes);
  return out;
}

std::vector<std::string_view> words(Split rule, std::string_view text) {
  std::vector<std::string_view> out;
  split_words(rule, text, out);
  return out;
}
using Words = std::vector<std::string_view>;

}  // namespace

TEST_CASE("every code point survives UTF-8, and surrogates do not") {
  for (char32_t c = 0; c < 0x110000; ++c) {
    std::string text;
    append_utf8(text, c);
    const CodePoint back = first_code_point(text);
    const bool surrogate = c >= 0xd800 && c < 0xe000;
    if (back.valid == surrogate || (back.valid && (back.value != c || back.bytes != text.size()))) FAIL("at " << +c);
  }
}

TEST_CASE("ill-formed UTF-8 is replaced part by part") {
  // Table 3-8 to 3-11 of the Unicode standard.
  CHECK(lossy("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"
              "A") == "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA");
  CHECK(lossy("\xed\xa0\x80\xed\xbf\xbf\xed\xaf"
              "A") == "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA");
  CHECK(lossy("\xf4\x91\x92\x93\xff"
              "A\x80\xbf"
              "B") ==
        "\ufffd\ufffd\ufffd\ufffd\ufffdA\ufffd\ufffd"
        "B");
  CHECK(lossy("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
              "A") == "\ufffd\ufffd\ufffd\ufffdA");
  CHECK(incomplete_tail("abc") == 0);
  CHECK(incomplete_tail("a\xe2\x82") == 2);
  CHECK(incomplete_tail("\xf0\x9f\x99") == 3);
  CHECK(incomplete_tail("\xf0\x9f\x99\x82") == 0);
  CHECK(incomplete_tail("\x80\x80\x80") == 0);
  CHECK(incomplete_tail("\xc0") == 0);
  CHECK(incomplete_tail("") == 0);
}

TEST_CASE("character classes") {
  for (const char32_t c : {U'a', U'Z', U'ª', U'é', U'ß', U'ж', U'א', U'क', U'日', U'한', U'\u02b0', U'\U00020000'})
    CHECK(is_letter(c));
  for (const char32_t c : {U'0', U'_', U' ', U'\u0301', U'½', U'€', U'\u0378', U'\U0010ffff'})
    CHECK_FALSE(is_letter(c));
  for (const char32_t c : {U'0', U'²', U'½', U'Ⅷ', U'٣', U'①', U'\U0001d7ce'}) CHECK(is_number(c));
  for (const char32_t c : {U'a', U'.', U'一'}) CHECK_FALSE(is_number(c));
  int spaces = 0;
  for (char32_t c = 0; c < 0x110000; ++c) spaces += is_whitespace(c);
  CHECK(spaces == 25);  // PropList.txt, White_Space
  CHECK(is_word_char(U'_'));
  CHECK(is_word_char(U'\u0301'));
  CHECK_FALSE(is_word_char(U'²'));
}

TEST_CASE("normalisation form C") {
  // UAX #15, figures 3 to 6, and part 1 of NormalizationTest.txt.
  CHECK(to_nfc("\u212b") == "\u00c5");
  CHECK(to_nfc("A\u030a") == "\u00c5");
  CHECK(to_nfc("s\u0323\u0307") == "\u1e69");
  CHECK(to_nfc("s\u0307\u0323") == "\u1e69");
  CHECK(to_nfc("\u1e0b\u0323") == "\u1e0d\u0307");
  CHECK(to_nfc("\u1100\u1161\u11a8") == "\uac01");
  CHECK(to_nfc("\uac00\u11a8") == "\uac01");
  CHECK(to_nfc("\u0958") == "\u0915\u093c");  // excluded from composition
  CHECK(to_nfc("\u0344") == "\u0308\u0301");
  CHECK(to_nfc("\u0301a") == "\u0301a");
  CHECK(to_nfc("\ufb01") == "\ufb01");  // a compatibility character stays
  CHECK(to_nfc("e\xff\u0301") == "e\xff\u0301");
  CHECK(to_nfc("") == "");
}

TEST_CASE("the byte alphabet is GPT-2's") {
  CHECK(byte_to_char(' ') == U'Ġ');
  CHECK(byte_to_char('\n') == U'Ċ');
  CHECK(byte_to_char(0xad) == 0x143);
  CHECK(byte_to_char('!') == U'!');
  for (int byte = 0; byte < 256; ++byte) CHECK(char_to_byte(byte_to_char(static_cast<std::uint8_t>(byte))) == byte);
  CHECK(char_to_byte(0x144) == std::nullopt);
  CHECK(char_to_byte(' ') == std::nullopt);
  CHECK(encode_byte_level(" é") == "ĠÃ©");
  CHECK(decode_byte_level("ĠÃ©") == " é");
  CHECK(decode_byte_level("日") == std::nullopt);
}

TEST_CASE("words of the split rules, by hand from the expressions") {
  CHECK(words(Split::gpt2, "it's 12  x\n") == Words{"it", "'s", " 12", " ", " x", "\n"});
  CHECK(words(Split::gpt2, "IT'S\n\n y") == Words{"IT", "'", "S", "\n\n", " y"});
  CHECK(words(Split::gpt2, "a  ") == Words{"a", "  "});
  CHECK(words(Split::llama3, "IT'S 12345\n\n .y") == Words{"IT", "'S", " ", "123", "45", "\n\n", " .", "y"});
  CHECK(words(Split::llama3, "a!\n\nb  \n  c") == Words{"a", "!\n\n", "b", "  \n", " ", " c"});
  CHECK(words(Split::llama3, "\tx(y") == Words{"\tx", "(y"});
  CHECK(words(Split::qwen2, "x123") == Words{"x", "1", "2", "3"});
  CHECK(words(Split::digits_each, "a12b") == Words{"a", "1", "2", "b"});
  CHECK(words(Split::digits_runs, "a12b") == Words{"a", "12", "b"});
  CHECK(words(Split::gpt2, "a\xff\xfe b") == Words{"a", "\xff\xfe", " b"});
  CHECK(words(Split::llama3, "").empty());
}
