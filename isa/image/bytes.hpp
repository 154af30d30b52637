// SPDX-License-Identifier: Apache-2.0
// Little-endian reading and writing of image files, with every read checked against what is left.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/error.hpp"

namespace heddle::isa {

// FNV-1a, 64 bits: finds damage, keeps no secret.
inline constexpr std::uint64_t fnv_start = 0xcbf29ce484222325ull;
constexpr std::uint64_t fnv_step(std::uint64_t hash, std::uint8_t byte) { return (hash ^ byte) * 0x100000001b3ull; }
constexpr std::uint64_t fnv(std::uint64_t hash, std::string_view text) {
  for (char c : text) hash = fnv_step(hash, static_cast<std::uint8_t>(c));
  return fnv_step(hash, 0);
}
inline std::uint64_t fnv(std::uint64_t hash, const std::uint8_t* data, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) hash = fnv_step(hash, data[i]);
  return hash;
}

class ByteWriter {
 public:
  void u8(std::uint8_t v) { bytes_.push_back(v); }
  void u32(std::uint32_t v) { number(v, 4); }
  void u64(std::uint64_t v) { number(v, 8); }
  void text(std::string_view s) {
    u32(static_cast<std::uint32_t>(s.size()));
    bytes_.insert(bytes_.end(), s.begin(), s.end());
  }
  void raw(const std::vector<std::uint8_t>& data) { bytes_.insert(bytes_.end(), data.begin(), data.end()); }
  // Overwrites eight bytes written before.
  void patch_u64(std::size_t at, std::uint64_t v) {
    for (std::size_t i = 0; i < 8; ++i) bytes_[at + i] = static_cast<std::uint8_t>(v >> (8 * i));
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  void number(std::uint64_t v, int size) {
    for (int i = 0; i < size; ++i) bytes_.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
  }
  std::vector<std::uint8_t> bytes_;
};

// Throws HDL-IMG-03 rather than read past its end.
class ByteReader {
 public:
  ByteReader(const std::uint8_t* data, std::size_t size, std::string_view what)
      : data_(data), left_(size), what_(what) {}
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::string text() {
    const std::size_t size = u32();
    const std::uint8_t* p = take(size);
    return {reinterpret_cast<const char*>(p), size};
  }
  const std::uint8_t* take(std::size_t size) {
    if (size > left_)
      fail(ErrorKind::bad_input, "HDL-IMG-03", "image is damaged: {} ends {} bytes early", what_, size - left_);
    const std::uint8_t* p = data_;
    data_ += size;
    left_ -= size;
    return p;
  }
  // A number of elements, each at least `smallest` bytes: more than can follow is refused before anything is allocated.
  std::size_t count(std::size_t smallest) {
    const std::size_t n = u32();
    if (n > left_ / smallest)
      fail(ErrorKind::bad_input, "HDL-IMG-03", "image is damaged: {} announces {} entries in {} bytes", what_, n,
           left_);
    return n;
  }
  std::size_t left() const { return left_; }
  void expect_end() const {
    if (left_ != 0)
      fail(ErrorKind::bad_input, "HDL-IMG-03", "image is damaged: {} bytes left over in {}", left_, what_);
  }

 private:
  std::uint64_t number(std::size_t size) {
    const std::uint8_t* p = take(size);
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < size; ++i) v |= static_cast<std::uint64_t>(p[i]) << (8 * i);
    return v;
  }
  const std::uint8_t* data_;
  std::size_t left_;
  std::string_view what_;
};

}  // namespace heddle::isa
