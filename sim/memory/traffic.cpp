// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/traffic.hpp"

#include <bit>

#include "isa/base/error.hpp"
#include "sim/config/quantity.hpp"

namespace heddle::memory {
namespace {

constexpr std::uint64_t rows = 32768;  // of a bank: what 8 Gb channels have

class Random {  // splitmix64
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

[[noreturn]] void bad_pattern(const std::string& text) {
  fail(ErrorKind::bad_input, "HDL-MEM-06",
       "memory: pattern '{}', expected seq, rand, rand:BYTES, stride:BYTES, 2stream, 2streamB, copy or copyB", text);
}

// "rand4096", "rand:4096" and "rand:4KiB" after "rand".
std::uint64_t size_of(const std::string& text, std::size_t name) {
  std::string rest = text.substr(text[name] == ':' ? name + 1 : name);
  if (!rest.empty() && rest.find_first_not_of("0123456789") == std::string::npos) rest += "B";
  std::int64_t bytes = 0;
  try {
    bytes = config::parse_quantity(rest, config::Unit::bytes);
  } catch (const Error&) {
    bad_pattern(text);
  }
  if (bytes <= 0) bad_pattern(text);
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

Pattern parse_pattern(const std::string& text) {
  using Kind = Pattern::Kind;
  if (text == "seq") return {Kind::sequential};
  if (text == "rand") return {Kind::random};
  if (text == "2stream" || text == "2streamB") return {Kind::two_streams, 0, false, text.back() == 'B'};
  if (text == "copy" || text == "copyB") return {Kind::two_streams, 0, true, text.back() == 'B'};
  for (const auto& [name, kind] : {std::pair{std::string("rand"), Kind::random}, {"stride", Kind::stride}})
    if (text.starts_with(name) && text.size() > name.size()) return {kind, size_of(text, name.size())};
  bad_pattern(text);
}

std::vector<Access> accesses(const Stream& s, const DramSetup& setup, const AddressMap& map) {
  const auto need = [](bool ok, const char* what, const auto& found, const char* expected) {
    if (!ok) fail(ErrorKind::bad_input, "HDL-MEM-07", "memory traffic: {} is {}, expected {}", what, found, expected);
  };
  const std::uint64_t capacity = static_cast<std::uint64_t>(setup.dram.organization.page_bytes) *
                                 static_cast<std::uint64_t>(setup.dram.banks_in_channel()) *
                                 static_cast<std::uint64_t>(setup.channels) * rows;
  need(s.requests >= 1 && s.requests <= 1'000'000'000, "number of requests", s.requests, "1 to 1000000000");
  need(s.bytes >= 1 && s.bytes <= 1 << 20, "bytes of a request", s.bytes, "1 to 1048576");
  need(s.write_fraction >= 0 && s.write_fraction <= 1, "write fraction", s.write_fraction, "0 to 1");
  const auto bytes = static_cast<std::uint64_t>(s.bytes);
  const std::uint64_t size = s.pattern.size == 0 ? bytes : s.pattern.size;
  need(s.pattern.kind != Pattern::Kind::random || (size >= bytes && size % bytes == 0), "random piece", size,
       "a multiple of the request");
  need(size <= capacity / 2, "random piece or stride", size, "at most half the memory");
  const std::uint64_t second = capacity / 2 + (s.pattern.other_group ? map.bank_group_unit() << map.burst_shift() : 0);
  const std::uint64_t in_piece = size / bytes;

  Random random(s.seed);
  std::vector<Access> list(static_cast<std::size_t>(s.requests));
  std::uint64_t piece = 0;
  for (std::uint64_t i = 0; i < list.size(); ++i) {
    Access& a = list[i];
    switch (s.pattern.kind) {
      case Pattern::Kind::sequential:
        a.address = i * bytes % capacity;
        break;
      case Pattern::Kind::random:
        if (i % in_piece == 0) piece = random.next() % (capacity / size) * size;
        a.address = piece + i % in_piece * bytes;
        break;
      case Pattern::Kind::stride:
        a.address = i * size % capacity;
        break;
      case Pattern::Kind::two_streams:
        a.address = i / 2 * bytes % (capacity / 2) + (i % 2 != 0 ? second : 0);
        a.write = s.pattern.copy && i % 2 != 0;
        break;
    }
    if (s.write_fraction > 0) a.write = random.uniform() < s.write_fraction;
  }
  return list;
}

}  // namespace heddle::memory
