// SPDX-License-Identifier: Apache-2.0
// How a plain struct says what its YAML looks like. One describe() list per struct names each key once, with its unit,
// range and doc; the default is the member's own initialiser. The list is walked by visitors:
//   load_fields()   YAML into the struct, with every error located      (load_fields.hpp)
//   print_fields()  the struct as YAML that loads back to the same      (print_fields.hpp)
//   fields_page()   the reference page                                  (print_fields.hpp)
// A list looks like this, and adding a key is one line in it:
//   void describe(Fields& f, ScratchpadSpec& s) {
//     f.number("size", s.size_bytes, Unit::bytes, {64, 1 * tebi}, required, "Capacity");
//     f.number("banks", s.banks, Unit::none, {1, 4096}, optional, "Banks that serve one access a cycle each");
//   }
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/chip_spec.hpp"
#include "sim/config/quantity.hpp"

namespace heddle::config {

enum class Need : bool { optional, required };
inline constexpr Need optional = Need::optional;
inline constexpr Need required = Need::required;

struct Range {  // inclusive
  std::int64_t least = 0;
  std::int64_t most = 0;
};

class Fields {
 public:
  using Body = std::function<void(Fields&)>;
  using Rates = std::array<Ratio, dtype_count>;

  virtual ~Fields() = default;
  // A whole number of `unit` (see parse_quantity for how it may be written).
  virtual void number(std::string_view key, std::int64_t& member, Unit unit, Range range, Need need,
                      std::string_view doc) = 0;
  virtual void real(std::string_view key, double& member, double least, double most, Need need,
                    std::string_view doc) = 0;
  virtual void ratio(std::string_view key, Ratio& member, Range range, Need need, std::string_view doc) = 0;
  virtual void flag(std::string_view key, bool& member, Need need, std::string_view doc) = 0;
  virtual void text(std::string_view key, std::string& member, Need need, std::string_view doc) = 0;
  virtual void word(std::string_view key, std::size_t& index, std::span<const std::string_view> words, Need need,
                    std::string_view doc) = 0;
  // A ratio for each dtype named; zero for the others.
  virtual void rates(std::string_view key, Rates& member, Range range, Need need, std::string_view doc) = 0;
  virtual void group(std::string_view key, Need need, std::string_view doc, const Body& body) = 0;
  // From here on cycles and times convert into one another with this clock.
  virtual void cycles_are_of(std::int64_t /*clock_hz*/) {}

  // Times are kept in femtoseconds.
  void time(std::string_view key, TimeFs& member, Range range_fs, Need need, std::string_view doc) {
    std::int64_t fs = member.value();
    number(key, fs, Unit::time, range_fs, need, doc);
    member = TimeFs(fs);
  }
  // One of `words`, in the order of the enum's values from 0.
  template <class Enum>
  void choice(std::string_view key, Enum& member, std::span<const std::string_view> words, Need need,
              std::string_view doc) {
    auto index = static_cast<std::size_t>(member);
    word(key, index, words, need, doc);
    member = static_cast<Enum>(index);
  }
  template <class Spec>
  void part(std::string_view key, Spec& spec, Need need, std::string_view doc) {
    group(key, need, doc, [&spec](Fields& f) { describe(f, spec); });
  }
};

}  // namespace heddle::config
