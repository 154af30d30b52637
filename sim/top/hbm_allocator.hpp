// SPDX-License-Identifier: Apache-2.0
// Hands out HBM: first fit by address, aligned, free neighbours joined.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace heddle::top {

class HbmAllocator {
 public:
  // The first page stays free, so that address 0 is nobody's.
  static constexpr std::uint64_t first_address = 4096;
  explicit HbmAllocator(std::uint64_t capacity);

  // alignment: a power of two, or 0 for 64. 0 bytes take one. Throws HDL-HBM-01 (bad_input) when nothing fits, saying
  // what was needed and what there is; HDL-HBM-02 for an alignment that is no power of two.
  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment);
  // Throws HDL-HBM-03 (bad_input) for an address that is not allocated.
  void release(std::uint64_t address);
  std::uint64_t available() const { return available_; }
  bool empty() const { return used_.empty(); }
  // The allocated block that holds the address: its own address and its bytes.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> block_of(std::uint64_t address) const;

 private:
  std::uint64_t available_ = 0;
  std::map<std::uint64_t, std::uint64_t> free_, used_;  // address to bytes
};

}  // namespace heddle::top
