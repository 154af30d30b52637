// SPDX-License-Identifier: Apache-2.0
// The pieces of requests that wait at a channel, and the queue it chooses from: in order of arrival, bounded, with
// removal of the oldest of some banks.
#pragma once
#include <array>
#include <bit>
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

// A line for each bank, threaded through one pool of slots; the head of each line knows when it came.
class SegmentQueue {
 public:
  explicit SegmentQueue(std::int64_t capacity) : slots_(static_cast<std::size_t>(capacity)) {
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].next = static_cast<std::int16_t>(i + 1);
  }

  std::size_t size() const { return size_; }
  bool full() const { return size_ == slots_.size(); }
  std::size_t room() const { return slots_.size() - size_; }
  // A bit for each bank that something waits for.
  std::uint64_t banks() const { return banks_; }

  void push(const Segment& s) {
    const std::int16_t i = free_;
    Slot& slot = slots_[static_cast<std::size_t>(i)];
    free_ = slot.next;
    slot.segment = s;
    slot.order = next_order_++;
    Line& line = lines_[s.bank];
    const std::uint64_t bit = std::uint64_t{1} << s.bank;
    if ((banks_ & bit) == 0) {
      banks_ |= bit;
      line = {slot.order, i, i};
    } else {
      slots_[static_cast<std::size_t>(line.tail)].next = i;
      line.tail = i;
    }
    ++size_;
  }

  // Removes and returns the oldest segment whose bank is in `allowed`; there has to be one.
  Segment pop_first(std::uint64_t allowed) {
    std::uint64_t m = allowed & banks_;
    int bank = std::countr_zero(m);
    for (m &= m - 1; m != 0; m &= m - 1) {
      const int b = std::countr_zero(m);
      if (lines_[static_cast<std::size_t>(b)].order < lines_[static_cast<std::size_t>(bank)].order) bank = b;
    }
    Line& line = lines_[static_cast<std::size_t>(bank)];
    const std::int16_t i = line.head;
    Slot& slot = slots_[static_cast<std::size_t>(i)];
    if (i == line.tail) {
      banks_ &= ~(std::uint64_t{1} << bank);
    } else {
      line.head = slot.next;
      line.order = slots_[static_cast<std::size_t>(slot.next)].order;
    }
    slot.next = free_;
    free_ = i;
    --size_;
    return slot.segment;
  }

 private:
  struct Slot {
    Segment segment;
    std::uint64_t order = 0;
    std::int16_t next = -1;
  };
  struct Line {
    std::uint64_t order = 0;  // of its head
    std::int16_t head = -1, tail = -1;
  };
  std::vector<Slot> slots_;
  std::array<Line, 64> lines_{};
  std::uint64_t banks_ = 0, next_order_ = 0;
  std::size_t size_ = 0;
  std::int16_t free_ = 0;
};

}  // namespace heddle::memory
