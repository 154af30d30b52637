// SPDX-License-Identifier: Apache-2.0
// What names in assembly text stand for, and the value of an expression of them.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/asm/lexer.hpp"

namespace heddle::isa {

// A number in assembly text. Integers stay exact; `single` is what a float field takes.
struct Value {
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0;
  float single = 0;
  bool raw_bits = false;  // one hexadecimal literal: a float field takes its low 32 bits as they are

  static Value of(std::int64_t i);
  static Value of(double d);
};

// Labels, constants, data and views are four kinds of name; one name may be of several kinds.
struct Symbols {
  struct Label {
    std::uint32_t instruction = 0;
    Place place;
  };
  struct Const {
    Value value;
    Place place;
  };
  struct Listed {
    std::uint32_t index = 0;
    std::uint32_t times = 1;  // above 1: only its number can name it
  };
  std::map<std::string, Label, std::less<>> labels;
  std::map<std::string, Const, std::less<>> constants;
  std::map<std::string, Listed, std::less<>> data;
  std::map<std::string, Listed, std::less<>> views;
  std::vector<std::uint64_t> data_offsets;  // from x2; filled once all data is known

  std::vector<std::string_view> label_names() const;
  std::vector<std::string_view> value_names() const;
  std::vector<std::string_view> view_names() const;
};

// sum := product (('+'|'-') product)*; product := factor ('*' factor)*; factor := '-' factor | '(' sum ')' | number |
// name. A name is a constant, else data (its offset from x2), else a label (its instruction index), else inf or nan.
// Throws HDL-ASM-02, -04 (unknown name) and -06 (an integer beyond 64 bits).
Value evaluate(Cursor& cursor, const Symbols& symbols);

// The same, refusing reals and results outside low..high (HDL-ASM-06). `what` names the number in errors.
std::int64_t evaluate_integer(Cursor& cursor, const Symbols& symbols, std::int64_t low, std::int64_t high,
                              std::string_view what);

// The fp32 bits of a float operand: a number, `0x...` as raw bits, or `int(n)` as the 32 bits of an integer.
std::uint32_t evaluate_float_bits(Cursor& cursor, const Symbols& symbols);

}  // namespace heddle::isa
