// SPDX-License-Identifier: Apache-2.0
// The pieces of requests that wait at a channel, and the queue it chooses from: in order of arrival, bounded, with
// removal anywhere, and a bit mask of the banks it holds work for.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sim/memory/command.hpp"

namespace heddle::memory {

// The bursts of one request that lie in one row of one bank.
struct Segment {
  Clock arrival = 0;  // from this clock on the channel may look at it
  std::uint32_t request = 0;
  std::int32_t row = 0;
  std::uint16_t bursts = 0;
  std::uint8_t bank = 0;
  bool write = false;
};

class SegmentQueue {
 public:
  explicit SegmentQueue(std::int64_t capacity) : slots_(static_cast<std::size_t>(capacity)), free_(0) {
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].next = static_cast<std::int16_t>(i + 1);
    slots_.back().next = -1;
  }

  std::size_t size() const { return size_; }
  bool full() const { return size_ == slots_.size(); }
  std::size_t room() const { return slots_.size() - size_; }
  std::uint64_t banks() const { return banks_; }

  void push(const Segment& s) {
    const std::int16_t i = free_;
    Slot& slot = slots_[static_cast<std::size_t>(i)];
    free_ = slot.next;
    slot.segment = s;
    slot.next = -1;
    (tail_ < 0 ? head_ : slots_[static_cast<std::size_t>(tail_)].next) = i;
    tail_ = i;
    ++size_;
    ++in_bank_[s.bank];
    banks_ |= std::uint64_t{1} << s.bank;
  }

  // Removes and returns the oldest segment whose bank is in `allowed`; there has to be one.
  Segment pop_first(std::uint64_t allowed) {
    std::int16_t before = -1;
    std::int16_t i = head_;
    while ((allowed >> slots_[static_cast<std::size_t>(i)].segment.bank & 1) == 0) {
      before = i;
      i = slots_[static_cast<std::size_t>(i)].next;
    }
    Slot& slot = slots_[static_cast<std::size_t>(i)];
    (before < 0 ? head_ : slots_[static_cast<std::size_t>(before)].next) = slot.next;
    if (tail_ == i) tail_ = before;
    slot.next = free_;
    free_ = i;
    --size_;
    if (--in_bank_[slot.segment.bank] == 0) banks_ &= ~(std::uint64_t{1} << slot.segment.bank);
    return slot.segment;
  }

 private:
  struct Slot {
    Segment segment;
    std::int16_t next = -1;
  };
  std::vector<Slot> slots_;
  std::array<std::uint16_t, 64> in_bank_{};
  std::uint64_t banks_ = 0;
  std::size_t size_ = 0;
  std::int16_t head_ = -1, tail_ = -1, free_ = 0;
};

}  // namespace heddle::memory
