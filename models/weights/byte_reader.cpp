// SPDX-License-Identifier: Apache-2.0
#include "models/weights/byte_reader.hpp"

namespace heddle::weights {

std::span<const std::byte> ByteReader::take(std::uint64_t count, std::string_view what) {
  if (count > left())
    fail_at({file_.path()}, ErrorKind::bad_input, "HDL-WGT-02",
            "truncated: {} takes {} bytes from byte {}, but the file ends at {}", what, count, position_,
            file_.bytes().size());
  const auto bytes = file_.bytes().subspan(position_, count);
  position_ += count;
  return bytes;
}

std::string_view ByteReader::string(std::string_view what) {
  const auto length = number<std::uint64_t>(what);
  const auto bytes = take(length, what);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace heddle::weights
