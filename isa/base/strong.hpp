// SPDX-License-Identifier: Apache-2.0
// Distinct integer types. No implicit way in, and none back out: `.value()` says where the unit is left behind.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace heddle {

// An index or name: comparable and hashable, no arithmetic.
template <class Tag, class Rep = std::uint32_t>
class StrongId {
 public:
  using rep = Rep;
  constexpr StrongId() = default;
  constexpr explicit StrongId(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  friend constexpr auto operator<=>(StrongId, StrongId) = default;

 private:
  Rep value_ = 0;
};

// An amount with a unit: adds, subtracts and scales; the ratio of two is a plain number.
template <class Tag, class Rep = std::int64_t>
class Quantity {
 public:
  using rep = Rep;
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, Rep b) { return Quantity(a.value_ * b); }
  friend constexpr Quantity operator*(Rep a, Quantity b) { return Quantity(a * b.value_); }
  friend constexpr Rep operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  constexpr Quantity& operator+=(Quantity o) {
    value_ += o.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    value_ -= o.value_;
    return *this;
  }

 private:
  Rep value_ = 0;
};

using Bytes = Quantity<struct BytesTag>;
using Cycles = Quantity<struct CyclesTag>;  // of the core clock unless a name says otherwise
using TimeFs = Quantity<struct TimeFsTag>;  // femtoseconds; 2^63 fs is 2.5 hours
using CoreId = StrongId<struct CoreTag>;
using ChipId = StrongId<struct ChipTag>;
using SemId = StrongId<struct SemTag>;
using EngineIndex = StrongId<struct EngineTag>;

}  // namespace heddle

template <class Tag, class Rep>
struct std::hash<heddle::StrongId<Tag, Rep>> {
  std::size_t operator()(heddle::StrongId<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value()); }
};
