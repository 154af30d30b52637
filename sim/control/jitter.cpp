// SPDX-License-Identifier: Apache-2.0
#include "sim/control/jitter.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "isa/base/error.hpp"

namespace heddle::control {
namespace {

constexpr std::int64_t most_allowed = std::int64_t{1} << 30;
constexpr std::uint64_t stretch = 16;  // instructions of an agent under one bound

// SplitMix64's finalizer (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

template <class T>
bool number(std::string_view text, T& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

}  // namespace

JitterOptions parse_jitter(std::string_view text) {
  JitterOptions o;
  const std::size_t comma = text.find(',');
  const bool good = number(text.substr(0, comma), o.seed) &&
                    (comma == std::string_view::npos || number(text.substr(comma + 1), o.most_cycles)) &&
                    o.most_cycles >= 1 && o.most_cycles <= most_allowed;
  if (!good)
    fail(ErrorKind::bad_input, "HDL-JIT-01",
         "jitter '{}'; write SEED or SEED,MAX: whole numbers, MAX the longest delay in cycles, 1 to 2^30", text);
  return o;
}

std::optional<JitterOptions> take_jitter(std::vector<std::string>& overrides) {
  constexpr std::string_view key = "jitter=";
  std::optional<JitterOptions> out;
  for (const std::string& o : overrides)
    if (o.starts_with(key)) out = parse_jitter(std::string_view(o).substr(key.size()));
  std::erase_if(overrides, [&](const std::string& o) { return o.starts_with(key); });
  return out;
}

std::int64_t Jitter::cycles(std::uint32_t core, std::uint32_t agent, std::uint64_t number, Delay which) const {
  const std::uint64_t who = mix(mix(mix(options_.seed) ^ launch_) ^ (std::uint64_t{core} << 32 | agent));
  const std::uint64_t drawn = mix(who ^ (number / stretch));
  const std::uint64_t eighth = drawn % 8;
  if (eighth < 5) return 0;
  const auto most = static_cast<std::uint64_t>(options_.most_cycles);
  const std::uint64_t bound =
      eighth < 7 ? most : std::uint64_t{1} << (drawn >> 3) % static_cast<std::uint64_t>(std::bit_width(most));
  return static_cast<std::int64_t>(mix(mix(who ^ 1) ^ (number << 2 | static_cast<std::uint64_t>(which))) % (bound + 1));
}

}  // namespace heddle::control
