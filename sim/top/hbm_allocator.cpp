// SPDX-License-Identifier: Apache-2.0
#include "sim/top/hbm_allocator.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "isa/base/error.hpp"

namespace heddle::top {

HbmAllocator::HbmAllocator(std::uint64_t capacity) {
  if (capacity <= first_address) return;
  available_ = capacity - first_address;
  free_.emplace(first_address, available_);
}

std::uint64_t HbmAllocator::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  if (alignment == 0) alignment = 64;
  if (!std::has_single_bit(alignment))
    fail(ErrorKind::bad_input, "HDL-HBM-02", "an alignment of {} bytes; expected a power of two", alignment);
  bytes = std::max<std::uint64_t>(bytes, 1);
  std::uint64_t largest = 0;
  for (const auto& [begin, size] : free_) {
    largest = std::max(largest, size);
    const std::uint64_t gap = (alignment - begin % alignment) % alignment;
    if (gap >= size || bytes > size - gap) continue;
    const std::uint64_t at = begin + gap;
    const std::uint64_t rest = size - gap - bytes;
    const std::uint64_t hole = begin;
    free_.erase(hole);
    if (gap != 0) free_.emplace(hole, gap);
    if (rest != 0) free_.emplace(at + bytes, rest);
    used_.emplace(at, bytes);
    available_ -= bytes;
    return at;
  }
  fail(ErrorKind::bad_input, "HDL-HBM-01",
       "{} bytes of HBM are needed (alignment {}); {} are free, the largest piece has {}", bytes, alignment, available_,
       largest);
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> HbmAllocator::block_of(std::uint64_t address) const {
  const auto after = used_.upper_bound(address);
  if (after == used_.begin()) return std::nullopt;
  const auto& block = *std::prev(after);
  if (address - block.first >= block.second) return std::nullopt;
  return block;
}

void HbmAllocator::release(std::uint64_t address) {
  const auto used = used_.find(address);
  if (used == used_.end()) fail(ErrorKind::bad_input, "HDL-HBM-03", "HBM address {:#x} is not allocated", address);
  std::uint64_t size = used->second;
  available_ += size;
  used_.erase(used);
  auto next = free_.lower_bound(address);
  if (next != free_.end() && next->first == address + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address) {
      before->second += size;
      return;
    }
  }
  free_.emplace(address, size);
}

}  // namespace heddle::top
