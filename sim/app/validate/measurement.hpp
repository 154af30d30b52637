// SPDX-License-Identifier: Apache-2.0
// One measured number beside the simulated one, how far they are apart, and how far they may be.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::validate {

// How an error is counted: as a part of the measured value; for shares as percentage points; else in the value's unit.
enum class ErrorScale { percent, points, absolute };

struct Tolerance {
  ErrorScale scale = ErrorScale::percent;
  double most = 0;   // the largest |error|; 0: exact
  double least = 0;  // of a one-sided tolerance: error in [least, most] instead of |error| <= most; see one_sided
  bool one_sided = false;
};

struct Measurement {
  std::string what;  // "time", "cycles", "array active", "read beats"
  std::string unit;  // "ns", "cycles", "%", "GB/s"
  double measured = 0;
  double simulated = 0;
  std::vector<double> also_measured = {};  // other measured values of the same thing, drawn as the error bar
  std::optional<Tolerance> tolerance = {};
  ErrorScale scale = ErrorScale::percent;

  // Signed: positive where the simulator is slower (or has more). In percent, points or the value's own unit.
  double error() const;
  std::string error_text() const;  // "+3.1 %", "-4.0 pt", "+1.2 ns"
  bool within() const;             // true without a tolerance
};

// "%", "pt", or the measurement's own unit.
std::string error_unit(const Measurement& m);

// What tables write in their tolerance column:
//   exact | 5% | exact if ... else 3% | 10% each, 5% mean | 1% aligned, 5% leftovers
//   upper bound, >=80% of it | +-1 tCK + fixed ctrl
// `aligned` chooses in the third and fifth form; `clock` is what one tCK is in the value's unit. Nothing for a text of
// another form.
std::optional<Tolerance> parse_tolerance(std::string_view text, bool aligned = true, double clock = 0);

std::string to_string(const Tolerance& t, std::string_view unit);  // "exact", "<= 5 %"

}  // namespace heddle::validate
