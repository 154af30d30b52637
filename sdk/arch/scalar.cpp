// SPDX-License-Identifier: Apache-2.0
#include "sdk/arch/scalar.hpp"

#include <bit>
#include <limits>

#include "sdk/arch/recorder.hpp"

namespace heddle::sdk {
namespace {

using isa::Opcode;

Recorder* recorder_of(const Scalar& a, const Scalar& b) { return a.is_constant() ? b.recorder() : a.recorder(); }

std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrap_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

std::int64_t fold(Opcode op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Opcode::add:
      return wrap_add(a, b);
    case Opcode::sub:
      return wrap_add(a, wrap_multiply(b, -1));
    case Opcode::mul:
      return wrap_multiply(a, b);
    case Opcode::div:
    case Opcode::rem:
      if (b == 0) fail(ErrorKind::program, "HDL-SDK-02", "constant {} is divided by zero", a);
      if (b == -1) return op == Opcode::div ? wrap_multiply(a, -1) : 0;
      return op == Opcode::div ? a / b : a % b;
    case Opcode::and_:
      return a & b;
    case Opcode::or_:
      return a | b;
    case Opcode::xor_:
      return a ^ b;
    case Opcode::sll:
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << (b & 63));
    case Opcode::sra:
      return a >> (b & 63);
    case Opcode::slt:
      return a < b;
    case Opcode::sltu:
      return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
    case Opcode::min:
      return a < b ? a : b;
    case Opcode::max:
      return a > b ? a : b;
    default:
      fail(ErrorKind::internal, "HDL-SDK-01", "no scalar operation {}", isa::info(op).mnemonic);
  }
}

bool is_power_of_two(std::int64_t v) { return v > 0 && std::has_single_bit(static_cast<std::uint64_t>(v)); }
int log2_of(std::int64_t v) { return std::countr_zero(static_cast<std::uint64_t>(v)); }

bool commutes(Opcode op) {
  return op == Opcode::add || op == Opcode::mul || op == Opcode::and_ || op == Opcode::or_ || op == Opcode::xor_ ||
         op == Opcode::min || op == Opcode::max;
}

// x op b where the result is x or a constant, whatever x is.
bool simplify(Opcode op, const Scalar& x, std::int64_t b, Scalar& result) {
  const bool identity = (b == 0 && (op == Opcode::add || op == Opcode::sub || op == Opcode::or_ || op == Opcode::xor_ ||
                                    op == Opcode::sll || op == Opcode::sra)) ||
                        (b == 1 && (op == Opcode::mul || op == Opcode::div)) || (b == -1 && op == Opcode::and_);
  if (identity) {
    result = x;
    return true;
  }
  if ((b == 0 && (op == Opcode::mul || op == Opcode::and_)) || (b == 1 && op == Opcode::rem)) {
    result = 0;
    return true;
  }
  return false;
}

Scalar compute(Opcode op, Scalar a, Scalar b) {
  if (a.is_constant() && b.is_constant()) return fold(op, a.constant(), b.constant());
  if (a.is_constant() && commutes(op)) std::swap(a, b);
  if ((op == Opcode::min || op == Opcode::max) && a.same_as(b)) return a;
  Recorder* recorder = recorder_of(a, b);
  if (!a.is_constant() && !b.is_constant() && a.recorder() != b.recorder())
    fail(ErrorKind::program, "HDL-SDK-03", "scalars of two programs meet in one operation");
  Scalar simple;
  if (b.is_constant()) {
    if ((op == Opcode::div || op == Opcode::rem) && b.constant() == 0)
      recorder->error("HDL-SDK-02", "a division by the constant zero");
    if (simplify(op, a, b.constant(), simple)) return simple;
    if (op == Opcode::mul && is_power_of_two(b.constant())) return compute(Opcode::sll, a, log2_of(b.constant()));
  }
  return recorder->binary(op, a, b);
}

}  // namespace

Scalar operator+(Scalar a, Scalar b) { return compute(Opcode::add, a, b); }
Scalar operator-(Scalar a, Scalar b) {
  if (b.is_constant()) return compute(Opcode::add, a, wrap_multiply(b.constant(), -1));
  if (a.same_as(b)) return 0;
  return compute(Opcode::sub, a, b);
}
Scalar operator*(Scalar a, Scalar b) { return compute(Opcode::mul, a, b); }
Scalar operator/(Scalar a, Scalar b) { return compute(Opcode::div, a, b); }
Scalar operator%(Scalar a, Scalar b) { return compute(Opcode::rem, a, b); }
Scalar operator<<(Scalar a, Scalar b) { return compute(Opcode::sll, a, b); }
Scalar operator>>(Scalar a, Scalar b) { return compute(Opcode::sra, a, b); }
Scalar operator&(Scalar a, Scalar b) { return compute(Opcode::and_, a, b); }
Scalar operator|(Scalar a, Scalar b) { return compute(Opcode::or_, a, b); }
Scalar operator^(Scalar a, Scalar b) { return compute(Opcode::xor_, a, b); }
Scalar operator-(Scalar a) { return Scalar(0) - a; }
Scalar min(Scalar a, Scalar b) { return compute(Opcode::min, a, b); }
Scalar max(Scalar a, Scalar b) { return compute(Opcode::max, a, b); }

Scalar ceil_div(Scalar a, Scalar b) {
  if (b.is_constant() && is_power_of_two(b.constant())) return (a + (b.constant() - 1)) >> log2_of(b.constant());
  return (a + (b - 1)) / b;
}
Scalar round_up(Scalar a, Scalar b) {
  if (b.is_constant() && is_power_of_two(b.constant())) return (a + (b.constant() - 1)) & -b.constant();
  return ceil_div(a, b) * b;
}

bool Cond::constant() const {
  switch (kind) {
    case Kind::eq:
      return a.constant() == b.constant();
    case Kind::ne:
      return a.constant() != b.constant();
    case Kind::lt:
      return a.constant() < b.constant();
    case Kind::ge:
      return a.constant() >= b.constant();
  }
  return false;
}
Cond Cond::operator!() const {
  constexpr Kind opposite[] = {Kind::ne, Kind::eq, Kind::ge, Kind::lt};
  return {opposite[static_cast<int>(kind)], a, b};
}
Cond operator<(Scalar a, Scalar b) { return {Cond::Kind::lt, a, b}; }
Cond operator>=(Scalar a, Scalar b) { return {Cond::Kind::ge, a, b}; }
Cond operator>(Scalar a, Scalar b) { return {Cond::Kind::lt, b, a}; }
Cond operator<=(Scalar a, Scalar b) { return {Cond::Kind::ge, b, a}; }
Cond operator==(Scalar a, Scalar b) { return {Cond::Kind::eq, a, b}; }
Cond operator!=(Scalar a, Scalar b) { return {Cond::Kind::ne, a, b}; }
Cond operator&&(const Cond& a, const Cond& b) {
  if (a.is_constant()) return a.constant() ? b : a;
  if (b.is_constant()) return b.constant() ? a : b;
  return {Cond::Kind::ne, Scalar(a) & Scalar(b), 0};
}
Cond operator||(const Cond& a, const Cond& b) { return !(!a && !b); }

Scalar::Scalar(const Cond& c) {
  if (c.is_constant()) {
    constant_ = c.constant();
    return;
  }
  Scalar r;
  switch (c.kind) {
    case Cond::Kind::lt:
      r = compute(Opcode::slt, c.a, c.b);
      break;
    case Cond::Kind::ge:
      r = compute(Opcode::xor_, compute(Opcode::slt, c.a, c.b), 1);
      break;
    case Cond::Kind::ne:
      r = compute(Opcode::sltu, 0, c.a ^ c.b);
      break;
    case Cond::Kind::eq:
      r = compute(Opcode::xor_, compute(Opcode::sltu, 0, c.a ^ c.b), 1);
      break;
  }
  *this = r;
}

}  // namespace heddle::sdk
