// SPDX-License-Identifier: Apache-2.0
// Reads a binary header from front to back and cannot leave it.
#pragma once
#include <cstring>
#include <memory>
#include <string_view>

#include "isa/base/error.hpp"
#include "models/weights/file_bytes.hpp"

namespace heddle::weights {

class ByteReader {
 public:
  explicit ByteReader(const FileBytes& file) : file_(file) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t left() const { return file_.bytes().size() - position_; }

  // Throws HDL-WGT-02, saying what was being read, where fewer than `count` bytes are left.
  std::span<const std::byte> take(std::uint64_t count, std::string_view what);

  template <class T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }
  // A GGUF string: 64-bit length, then the bytes.
  std::string_view string(std::string_view what);

 private:
  const FileBytes& file_;
  std::uint64_t position_ = 0;
};

}  // namespace heddle::weights
