// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/measurement.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace heddle::validate {
namespace {

// "5%..." gives 5.
std::optional<double> leading_percent(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
  return std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end)).starts_with('%')
             ? std::optional(value)
             : std::nullopt;
}

std::optional<Tolerance> percent(std::string_view text) {
  const std::optional<double> value = leading_percent(text);
  return value ? std::optional(Tolerance{ErrorScale::percent, *value}) : std::nullopt;
}

std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::nullopt : std::optional(text.substr(at + mark.size()));
}

}  // namespace

double Measurement::error() const {
  return scale == ErrorScale::percent ? 100 * (simulated - measured) / measured : simulated - measured;
}

std::string error_unit(const Measurement& m) {
  return m.scale == ErrorScale::percent ? "%" : m.scale == ErrorScale::points ? "pt" : m.unit;
}

std::string Measurement::error_text() const {
  const double e = error();
  if (e == 0) return "0 " + error_unit(*this);
  return fmt::format("{:+.{}f} {}", e, std::abs(e) < 0.1 ? 3 : std::abs(e) < 100 ? 1 : 0, error_unit(*this));
}

bool Measurement::within() const {
  if (!tolerance) return true;
  const double off =
      tolerance->scale == ErrorScale::percent ? 100 * (simulated - measured) / measured : simulated - measured;
  constexpr double rounding = 1e-9;
  if (tolerance->one_sided) return off >= tolerance->least - rounding && off <= tolerance->most + rounding;
  return std::abs(off) <= tolerance->most + rounding;
}

std::optional<Tolerance> parse_tolerance(std::string_view text, bool aligned, double clock) {
  if (text == "exact") return Tolerance{ErrorScale::absolute, 0};
  if (text.starts_with("exact if")) {
    const std::optional<std::string_view> rest = after(text, "else ");
    if (!rest) return std::nullopt;
    return aligned ? std::optional(Tolerance{ErrorScale::absolute, 0}) : percent(*rest);
  }
  if (text.find("% aligned, ") != std::string_view::npos)
    return aligned ? percent(text) : percent(*after(text, "aligned, "));
  if (text.starts_with("upper bound, >=")) {
    const std::optional<double> least = leading_percent(*after(text, ">="));
    if (!least) return std::nullopt;
    return Tolerance{ErrorScale::percent, 0, *least - 100, true};
  }
  if (text.starts_with("+-1 tCK")) return Tolerance{ErrorScale::absolute, clock};
  return percent(text);
}

std::string to_string(const Tolerance& t, std::string_view unit) {
  const std::string_view in = t.scale == ErrorScale::percent ? "%" : t.scale == ErrorScale::points ? "pt" : unit;
  if (t.one_sided) return fmt::format("{:g} to {:+g} {}", t.least, t.most, in);
  return t.most == 0 ? "exact" : fmt::format("{:g} {}", t.most, in);
}

}  // namespace heddle::validate
