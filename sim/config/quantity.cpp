// SPDX-License-Identifier: Apache-2.0
#include "sim/config/quantity.hpp"

#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "isa/base/error.hpp"

namespace heddle::config {
namespace {

__extension__ typedef __int128 Wide;

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

struct Suffix {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::int64_t kilo = 1000, mega = kilo * 1000, giga = mega * 1000, tera = giga * 1000, peta = tera * 1000;
constexpr std::int64_t kibi = 1024, mebi = kibi * 1024, gibi = mebi * 1024, tebi = gibi * 1024;

// Largest first among those that format_quantity() may choose; the binary ones before the decimal ones.
constexpr std::array<Suffix, 9> byte_suffixes{{{"TiB", tebi},
                                               {"GiB", gibi},
                                               {"MiB", mebi},
                                               {"KiB", kibi},
                                               {"TB", tera},
                                               {"GB", giga},
                                               {"MB", mega},
                                               {"kB", kilo},
                                               {"B", 1}}};
constexpr std::array<Suffix, 9> rate_suffixes{{{"TB/s", tera},
                                               {"GB/s", giga},
                                               {"MB/s", mega},
                                               {"kB/s", kilo},
                                               {"TiB/s", tebi},
                                               {"GiB/s", gibi},
                                               {"MiB/s", mebi},
                                               {"KiB/s", kibi},
                                               {"B/s", 1}}};
constexpr std::array<Suffix, 4> hertz_suffixes{{{"GHz", giga}, {"MHz", mega}, {"kHz", kilo}, {"Hz", 1}}};
constexpr std::array<Suffix, 7> time_suffixes{
    {{"s", peta}, {"ms", tera}, {"us", giga}, {"\xc2\xb5s", giga}, {"ns", mega}, {"ps", kilo}, {"fs", 1}}};
constexpr std::array<Suffix, 2> cycle_suffixes{{{"cycles", 1}, {"cycle", 1}}};

std::span<const Suffix> suffixes(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return byte_suffixes;
    case Unit::bytes_per_second:
      return rate_suffixes;
    case Unit::hertz:
      return hertz_suffixes;
    case Unit::time:
      return time_suffixes;
    case Unit::cycles:
      return cycle_suffixes;
    case Unit::none:
      break;
  }
  return {};
}

struct UnitText {
  std::string_view what;     // "a size"
  std::string_view example;  // the suffix an error proposes
};

UnitText unit_text(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return {"a size", "KiB"};
    case Unit::bytes_per_second:
      return {"a bandwidth", "GB/s"};
    case Unit::hertz:
      return {"a frequency", "MHz"};
    case Unit::time:
      return {"a time", "ns"};
    case Unit::cycles:
      return {"a number of cycles", " cycles"};
    case Unit::none:
      break;
  }
  return {"a whole number", ""};
}

// A decimal as digits * 10^-decimals.
struct Decimal {
  Wide digits = 0;
  int decimals = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads digits with at most one point from the front of `text`; at most 18 significant digits.
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal d;
  bool point = false, any = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
    } else if (is_digit(text[i])) {
      any = true;
      d.digits = d.digits * 10 + (text[i] - '0');
      if (point) ++d.decimals;
      if (d.digits > int64_max || d.decimals > 18) return std::nullopt;
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  text.remove_prefix(i);
  return d;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

Wide power_of_ten(int n) {
  Wide p = 1;
  while (n-- > 0) p *= 10;
  return p;
}

const Suffix* find_suffix(Unit unit, std::string_view name) {
  for (const Suffix& s : suffixes(unit))
    if (s.name == name) return &s;
  return nullptr;
}

[[noreturn]] void refuse(std::string_view text, Unit unit) {
  const UnitText u = unit_text(unit);
  fail(ErrorKind::bad_input, "HDL-CFG-05", "\"{}\" is not {}{}", text, u.what,
       unit == Unit::none ? "" : fmt::format(", such as 85{}", u.example));
}

std::int64_t scaled(const Decimal& d, std::int64_t factor, std::string_view text, Unit unit) {
  // digits < 2^63 and factor < 2^50, so the product fits.
  const Wide value = d.digits * factor;
  const Wide divisor = power_of_ten(d.decimals);
  if (value % divisor != 0) {
    const std::span<const Suffix> all = suffixes(unit);
    fail(ErrorKind::bad_input, "HDL-CFG-06", "\"{}\" is not a whole number{}{}", text, all.empty() ? "" : " of ",
         unit == Unit::cycles ? "cycles" : (all.empty() ? "" : all.back().name));
  }
  if (value / divisor > int64_max) fail(ErrorKind::bad_input, "HDL-CFG-07", "\"{}\" is too large", text);
  return static_cast<std::int64_t>(value / divisor);
}

// A time in femtoseconds as cycles, rounded up; and whole cycles as the nearest femtosecond.
std::int64_t time_to_cycles(std::int64_t fs, std::int64_t clock_hz) {
  const Wide product = static_cast<Wide>(fs) * clock_hz;
  return static_cast<std::int64_t>((product + peta - 1) / peta);
}

std::int64_t cycles_to_time(std::int64_t cycles, std::int64_t clock_hz, std::string_view text) {
  const Wide fs = (static_cast<Wide>(cycles) * peta + clock_hz / 2) / clock_hz;
  if (fs > int64_max) fail(ErrorKind::bad_input, "HDL-CFG-07", "\"{}\" is too large", text);
  return static_cast<std::int64_t>(fs);
}

}  // namespace

std::int64_t parse_quantity(std::string_view text, Unit unit, std::int64_t clock_hz) {
  const std::string_view whole = trim(text);
  std::string_view rest = whole;
  const std::optional<Decimal> number = take_decimal(rest);
  if (!number) refuse(whole, unit);
  rest = trim(rest);
  if (rest.empty()) {
    if (unit == Unit::none || unit == Unit::cycles || number->digits == 0) return scaled(*number, 1, whole, unit);
    fail(ErrorKind::bad_input, "HDL-CFG-04", "\"{0}\" needs a unit, such as {0}{1}", whole, unit_text(unit).example);
  }
  if (const Suffix* s = find_suffix(unit, rest)) return scaled(*number, s->factor, whole, unit);
  if (clock_hz > 0 && unit == Unit::time && find_suffix(Unit::cycles, rest) != nullptr)
    return cycles_to_time(scaled(*number, 1, whole, Unit::cycles), clock_hz, whole);
  if (clock_hz > 0 && unit == Unit::cycles)
    if (const Suffix* s = find_suffix(Unit::time, rest))
      return time_to_cycles(scaled(*number, s->factor, whole, Unit::time), clock_hz);
  refuse(whole, unit);
}

std::string format_quantity(std::int64_t value, Unit unit) {
  if (unit == Unit::cycles || unit == Unit::none) return fmt::format("{}", value);
  if (value == 0) return "0";
  // Frequencies and rates read better with a fraction ("1.75GHz"); sizes and times stay whole.
  const int most_decimals = unit == Unit::hertz || unit == Unit::bytes_per_second ? 3 : 0;
  for (const Suffix& s : suffixes(unit)) {
    if (s.factor > value) continue;
    if (value % s.factor == 0) return fmt::format("{}{}", value / s.factor, s.name);
    if (s.factor % 10 != 0) continue;
    std::string decimals = fmt::format("{}", s.factor + value % s.factor).substr(1);
    while (decimals.back() == '0') decimals.pop_back();
    if (std::ssize(decimals) <= most_decimals) return fmt::format("{}.{}{}", value / s.factor, decimals, s.name);
  }
  return fmt::format("{}{}", value, suffixes(unit).back().name);
}

Ratio parse_ratio(std::string_view text) {
  constexpr Wide limit = 1 << 20;
  const std::string_view whole = trim(text);
  std::string_view rest = whole;
  const std::optional<Decimal> num = take_decimal(rest);
  Wide n = 0, d = 0;
  if (num) {
    n = num->digits;
    d = power_of_ten(num->decimals);
    rest = trim(rest);
    if (!rest.empty() && rest.front() == '/' && num->decimals == 0) {
      rest = trim(rest.substr(1));
      const std::optional<Decimal> den = take_decimal(rest);
      d = den && den->decimals == 0 ? den->digits : 0;
    }
  }
  if (!num || d == 0 || !rest.empty())
    fail(ErrorKind::bad_input, "HDL-CFG-08", "\"{}\" is not a ratio, such as 1/4, 0.25 or 2", whole);
  Wide a = n, b = d;
  while (b != 0) {
    const Wide r = a % b;
    a = b;
    b = r;
  }
  n /= a;
  d /= a;
  if (n > limit || d > limit)
    fail(ErrorKind::bad_input, "HDL-CFG-07", "\"{}\" is too fine or too large a ratio (parts at most 1048576)", whole);
  return {static_cast<std::int64_t>(n), static_cast<std::int64_t>(d)};
}

std::string format_ratio(Ratio r) { return r.den == 1 ? fmt::format("{}", r.num) : fmt::format("{}/{}", r.num, r.den); }

}  // namespace heddle::config
