// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers, as far as a writer of small messages needs it: varints, fixed 64-bit numbers,
// and bytes with their length in front (protobuf.dev/programming-guides/encoding).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::trace {

class Message {
 public:
  // Of type int32, int64, uint32, uint64, bool or enum. Negative numbers take ten bytes, as the format has it.
  Message& number(std::uint32_t field, std::uint64_t value);
  Message& fixed64(std::uint32_t field, std::uint64_t value);
  Message& real(std::uint32_t field, double value);
  Message& bytes(std::uint32_t field, std::string_view value);
  Message& message(std::uint32_t field, const Message& value) { return bytes(field, value.data_); }

  const std::string& data() const { return data_; }
  void clear() { data_.clear(); }

 private:
  void varint(std::uint64_t value);
  std::string data_;
};

}  // namespace heddle::trace
