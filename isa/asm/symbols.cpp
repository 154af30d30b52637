// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/symbols.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "isa/base/nearest.hpp"

namespace heddle::isa {
namespace {

constexpr int deepest = 64;  // of parentheses and minus signs: a bound on recursion

class Evaluator {
 public:
  Evaluator(Cursor& cursor, const Symbols& symbols) : cursor_(cursor), symbols_(symbols) {}

  Value sum(int depth) {
    Value v = product(depth);
    while (cursor_.peek().is('+') || cursor_.peek().is('-')) {
      const Token& op = cursor_.next();
      v = combine(op, v, product(depth));
    }
    return v;
  }

 private:
  Value product(int depth) {
    Value v = factor(depth);
    while (cursor_.peek().is('*')) {
      const Token& op = cursor_.next();
      v = combine(op, v, factor(depth));
    }
    return v;
  }

  Value factor(int depth) {
    if (depth > deepest) cursor_.text().fail(cursor_.peek().place, "HDL-ASM-08", "the expression nests too deeply");
    if (cursor_.peek().is('-')) {
      const Token& op = cursor_.next();
      return negate(op, factor(depth + 1));
    }
    if (cursor_.accept('(')) {
      Value v = sum(depth + 1);
      v.raw_bits = false;
      cursor_.expect(')', "to close the parenthesis");
      return v;
    }
    const Token& t = cursor_.peek();
    if (t.kind == TokenKind::integer) {
      Value v = Value::of(t.integer);
      v.raw_bits = t.hexadecimal;
      cursor_.next();
      return v;
    }
    if (t.kind == TokenKind::real) {
      Value v = Value::of(t.real);
      v.single = t.single;
      cursor_.next();
      return v;
    }
    if (t.kind == TokenKind::name || t.kind == TokenKind::text) return named();
    cursor_.expected("a number or a name");
  }

  Value named() {
    const Place place = cursor_.peek().place;
    const std::string name = cursor_.expect_name("a name");
    if (auto c = symbols_.constants.find(name); c != symbols_.constants.end()) return c->second.value;
    if (auto d = symbols_.data.find(name); d != symbols_.data.end() && !symbols_.data_offsets.empty()) {
      if (d->second.times > 1)
        cursor_.text().fail(place, "HDL-ASM-07", "'{}' names {} pieces of data", name, d->second.times);
      return Value::of(static_cast<std::int64_t>(symbols_.data_offsets[d->second.index]));
    }
    if (auto l = symbols_.labels.find(name); l != symbols_.labels.end())
      return Value::of(std::int64_t{l->second.instruction});
    if (name == "inf") return Value::of(std::numeric_limits<double>::infinity());
    if (name == "nan") return Value::of(std::numeric_limits<double>::quiet_NaN());
    cursor_.text().fail(place, "HDL-ASM-04", "unknown name '{}' (expected a number, constant, data or label){}",
                        name.substr(0, 64), did_you_mean(name, symbols_.value_names()));
  }

  Value negate(const Token& op, Value v) {
    v.raw_bits = false;
    v.real = -v.real;
    v.single = -v.single;
    if (!v.is_real && __builtin_sub_overflow(std::int64_t{0}, v.integer, &v.integer)) overflow(op);
    return v;
  }

  Value combine(const Token& op, const Value& a, const Value& b) {
    if (a.is_real || b.is_real) {
      if (op.is('+')) return Value::of(a.real + b.real);
      if (op.is('-')) return Value::of(a.real - b.real);
      return Value::of(a.real * b.real);
    }
    std::int64_t r = 0;
    const bool over = op.is('+')   ? __builtin_add_overflow(a.integer, b.integer, &r)
                      : op.is('-') ? __builtin_sub_overflow(a.integer, b.integer, &r)
                                   : __builtin_mul_overflow(a.integer, b.integer, &r);
    if (over) overflow(op);
    return Value::of(r);
  }

  [[noreturn]] void overflow(const Token& op) {
    cursor_.text().fail(op.place, "HDL-ASM-06", "the result does not fit 64 bits");
  }

  Cursor& cursor_;
  const Symbols& symbols_;
};

template <class Map>
void add_names(std::vector<std::string_view>& out, const Map& map) {
  for (const auto& [name, _] : map) out.push_back(name);
}

}  // namespace

Value Value::of(std::int64_t i) {
  Value v;
  v.integer = i;
  v.real = static_cast<double>(i);
  v.single = static_cast<float>(i);
  return v;
}

Value Value::of(double d) {
  Value v;
  v.is_real = true;
  v.real = d;
  // The canonical quiet NaN, not whatever a host's conversion makes; beyond fp32's range is infinity by IEEE rounding.
  v.single = std::isnan(d) ? std::bit_cast<float>(0x7fc00000u) : static_cast<float>(d);
  return v;
}

std::vector<std::string_view> Symbols::label_names() const {
  std::vector<std::string_view> out;
  add_names(out, labels);
  return out;
}
std::vector<std::string_view> Symbols::value_names() const {
  std::vector<std::string_view> out = label_names();
  add_names(out, constants);
  add_names(out, data);
  return out;
}
std::vector<std::string_view> Symbols::view_names() const {
  std::vector<std::string_view> out;
  add_names(out, views);
  return out;
}

Value evaluate(Cursor& cursor, const Symbols& symbols) { return Evaluator(cursor, symbols).sum(0); }

std::int64_t evaluate_integer(Cursor& cursor, const Symbols& symbols, std::int64_t low, std::int64_t high,
                              std::string_view what) {
  const Place first = cursor.peek().place;
  const Value v = evaluate(cursor, symbols);
  if (v.is_real) cursor.text().fail(first, "HDL-ASM-06", "{} must be an integer, found {}", what, v.real);
  if (v.integer < low || v.integer > high)
    cursor.text().fail(first, "HDL-ASM-06", "{} = {} is outside {} .. {}", what, v.integer, low, high);
  return v.integer;
}

std::uint32_t evaluate_float_bits(Cursor& cursor, const Symbols& symbols) {
  if (cursor.peek().is("int") && cursor.peek(1).is('(')) {
    cursor.next();
    cursor.next();
    const std::int64_t i = evaluate_integer(cursor, symbols, std::numeric_limits<std::int32_t>::min(),
                                            std::numeric_limits<std::uint32_t>::max(), "int()");
    cursor.expect(')', "to close int(");
    return static_cast<std::uint32_t>(i);
  }
  const Token& first = cursor.peek();
  const Place place = first.place;
  const Value v = evaluate(cursor, symbols);
  if (!v.raw_bits) return std::bit_cast<std::uint32_t>(v.single);
  if (static_cast<std::uint64_t>(v.integer) > std::numeric_limits<std::uint32_t>::max())
    cursor.text().fail(place, "HDL-ASM-06", "raw bits {:#x} do not fit 32 bits", static_cast<std::uint64_t>(v.integer));
  return static_cast<std::uint32_t>(v.integer);
}

}  // namespace heddle::isa
