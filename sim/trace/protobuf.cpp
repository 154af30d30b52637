// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/protobuf.hpp"

#include <bit>

namespace heddle::trace {
namespace {

enum WireType : std::uint32_t { wire_varint = 0, wire_fixed64 = 1, wire_bytes = 2 };

}  // namespace

void Message::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) data_.push_back(static_cast<char>(value | 0x80));
  data_.push_back(static_cast<char>(value));
}

Message& Message::number(std::uint32_t field, std::uint64_t value) {
  varint(std::uint64_t{field} << 3 | wire_varint);
  varint(value);
  return *this;
}

Message& Message::fixed64(std::uint32_t field, std::uint64_t value) {
  varint(std::uint64_t{field} << 3 | wire_fixed64);
  for (int i = 0; i < 8; ++i) data_.push_back(static_cast<char>(value >> (8 * i)));
  return *this;
}

Message& Message::real(std::uint32_t field, double value) {
  return fixed64(field, std::bit_cast<std::uint64_t>(value));
}

Message& Message::bytes(std::uint32_t field, std::string_view value) {
  varint(std::uint64_t{field} << 3 | wire_bytes);
  varint(value.size());
  data_ += value;
  return *this;
}

}  // namespace heddle::trace
