// SPDX-License-Identifier: Apache-2.0
// Numbers the sequencer computes while the program runs. A Scalar is a host constant or a value in the recorded
// program; it is immutable and cheap to copy. Arithmetic folds constants at once, else it records an instruction.
// Registers are assigned when the program is finished; values that do not fit are kept in SMEM.
#pragma once
#include <concepts>
#include <cstdint>

namespace heddle::sdk {

class Recorder;
struct Cond;

// Number of a value in the recorded program; 0: none.
using ValueId = std::uint32_t;

class Scalar {
 public:
  constexpr Scalar() = default;
  template <std::integral T>
  constexpr Scalar(T constant) : constant_(static_cast<std::int64_t>(constant)) {}  // NOLINT: numbers are scalars
  Scalar(Recorder& recorder, ValueId value) : recorder_(&recorder), value_(value) {}
  // 1 where the condition holds, else 0.
  Scalar(const Cond& condition);  // NOLINT

  constexpr bool is_constant() const { return recorder_ == nullptr; }
  // Precondition: is_constant().
  constexpr std::int64_t constant() const { return constant_; }
  ValueId value() const { return value_; }
  Recorder* recorder() const { return recorder_; }
  constexpr bool is(std::int64_t v) const { return is_constant() && constant_ == v; }
  // Both are the same constant, or the same recorded value.
  bool same_as(const Scalar& o) const {
    return recorder_ == o.recorder_ && value_ == o.value_ && constant_ == o.constant_;
  }

 private:
  Recorder* recorder_ = nullptr;
  ValueId value_ = 0;
  std::int64_t constant_ = 0;
};

// A comparison, kept apart from its value so that a branch on it is one instruction.
struct Cond {
  enum class Kind : std::uint8_t { eq, ne, lt, ge };
  Kind kind = Kind::ne;
  Scalar a = 0;
  Scalar b = 0;

  bool is_constant() const { return a.is_constant() && b.is_constant(); }
  bool constant() const;  // precondition: is_constant()
  Cond operator!() const;
};

// 64-bit two's complement; / and % round toward zero, as the machine's do. A constant division by zero is HDL-SDK-02.
Scalar operator+(Scalar a, Scalar b);
Scalar operator-(Scalar a, Scalar b);
Scalar operator*(Scalar a, Scalar b);
Scalar operator/(Scalar a, Scalar b);
Scalar operator%(Scalar a, Scalar b);
Scalar operator<<(Scalar a, Scalar b);
Scalar operator>>(Scalar a, Scalar b);  // arithmetic
Scalar operator&(Scalar a, Scalar b);
Scalar operator|(Scalar a, Scalar b);
Scalar operator^(Scalar a, Scalar b);
Scalar operator-(Scalar a);
Scalar min(Scalar a, Scalar b);
Scalar max(Scalar a, Scalar b);
Scalar ceil_div(Scalar a, Scalar b);  // a >= 0, b > 0
Scalar round_up(Scalar a, Scalar b);

Cond operator<(Scalar a, Scalar b);
Cond operator<=(Scalar a, Scalar b);
Cond operator>(Scalar a, Scalar b);
Cond operator>=(Scalar a, Scalar b);
Cond operator==(Scalar a, Scalar b);
Cond operator!=(Scalar a, Scalar b);
Cond operator&&(const Cond& a, const Cond& b);  // both sides are computed
Cond operator||(const Cond& a, const Cond& b);

// A scalar that changes: a loop-carried counter, a running offset. Reading it takes its value at that point of the
// program.
class Var {
 public:
  Var(Recorder& recorder, Scalar initial);
  Var(const Var&) = delete;
  Var& operator=(const Var&) = delete;
  void operator=(Scalar value);
  void operator+=(Scalar value);
  void operator-=(Scalar value) { *this += Scalar(0) - value; }
  Scalar get() const;
  operator Scalar() const { return get(); }  // NOLINT

 private:
  Recorder* recorder_;
  ValueId value_;
};

}  // namespace heddle::sdk
