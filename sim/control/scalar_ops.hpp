// SPDX-License-Identifier: Apache-2.0
// Scalar arithmetic of the sequencer: 64-bit two's complement.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "isa/def/instructions.hpp"

namespace heddle::control {

// Two's complement without overflow: arithmetic on the unsigned image.
constexpr std::uint64_t u(std::int64_t v) { return static_cast<std::uint64_t>(v); }
constexpr std::int64_t s(std::uint64_t v) { return static_cast<std::int64_t>(v); }

// The operation on registers that an operation with an immediate does.
constexpr isa::Opcode register_form(isa::Opcode op) {
  using isa::Opcode;
  switch (op) {
    case Opcode::addi:
      return Opcode::add;
    case Opcode::muli:
      return Opcode::mul;
    case Opcode::divi:
      return Opcode::div;
    case Opcode::remi:
      return Opcode::rem;
    case Opcode::andi:
      return Opcode::and_;
    case Opcode::ori:
      return Opcode::or_;
    case Opcode::xori:
      return Opcode::xor_;
    case Opcode::slli:
      return Opcode::sll;
    case Opcode::srli:
      return Opcode::srl;
    case Opcode::srai:
      return Opcode::sra;
    case Opcode::slti:
      return Opcode::slt;
    case Opcode::mini:
      return Opcode::min;
    case Opcode::maxi:
      return Opcode::max;
    default:
      return op;
  }
}

// a op b for an operation on registers. Precondition of div and rem: b is not 0.
[[gnu::always_inline]] constexpr std::int64_t scalar_result(isa::Opcode op, std::int64_t a, std::int64_t b) {
  using isa::Opcode;
  switch (op) {
    case Opcode::add:
      return s(u(a) + u(b));
    case Opcode::sub:
      return s(u(a) - u(b));
    case Opcode::mul:
      return s(u(a) * u(b));
    case Opcode::div:
      return b == -1 ? s(0 - u(a)) : a / b;  // the most negative number over -1 wraps to itself
    case Opcode::rem:
      return b == -1 ? 0 : a % b;
    case Opcode::and_:
      return a & b;
    case Opcode::or_:
      return a | b;
    case Opcode::xor_:
      return a ^ b;
    case Opcode::sll:
      return s(u(a) << (u(b) % 64));
    case Opcode::srl:
      return s(u(a) >> (u(b) % 64));
    case Opcode::sra:
      return a >> (u(b) % 64);
    case Opcode::slt:
      return a < b;
    case Opcode::sltu:
      return u(a) < u(b);
    case Opcode::min:
      return std::min(a, b);
    case Opcode::max:
      return std::max(a, b);
    default:
      return 0;
  }
}

}  // namespace heddle::control
