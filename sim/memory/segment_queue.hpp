// SPDX-License-Identifier: Apache-2.0
// The pieces of requests that wait at a channel, kept in one place from arrival to service: what moves from queue to
// queue is their number. And the queue a channel chooses from: in order of arrival, bounded, with removal of the oldest
// of some banks.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/memory/command.hpp"

namespace heddle::memory {

// The bursts of one request that lie in one row of one bank.
struct Segment {
  Clock arrival = 0;        // from this clock on the channel may look at it
  std::uint64_t order = 0;  // in its queue
  std::uint32_t request = 0;
  std::int32_t row = 0;
  std::uint32_t next = 0;  // of its bank's line, or of the free ones
  std::uint16_t bursts = 0;
  std::uint8_t bank = 0;
  bool write = false;
};

class SegmentPool {
 public:
  Segment& operator[](std::uint32_t i) { return slots_[i]; }
  const Segment& operator[](std::uint32_t i) const { return slots_[i]; }
  std::uint32_t take() {
    const std::uint32_t i = free_;
    if (i == slots_.size()) {
      slots_.emplace_back();
      return free_ = i + 1, i;
    }
    free_ = slots_[i].next;
    return i;
  }
  void give_back(std::uint32_t i) {
    slots_[i].next = free_;
    free_ = i;
  }

 private:
  std::vector<Segment> slots_;
  std::uint32_t free_ = 0;  // slots_.size(): none
};

// A line for each bank, threaded through the pool.
class SegmentQueue {
 public:
  explicit SegmentQueue(std::int64_t capacity) : capacity_(static_cast<std::size_t>(capacity)) {}

  std::size_t size() const { return size_; }
  bool full() const { return size_ == capacity_; }
  std::size_t room() const { return capacity_ - size_; }
  // A bit for each bank that something waits for.
  std::uint64_t banks() const { return banks_; }

  void push(SegmentPool& pool, std::uint32_t i) {
    Segment& s = pool[i];
    s.order = next_order_++;
    Line& line = lines_[s.bank];
    const std::uint64_t bit = std::uint64_t{1} << s.bank;
    if ((banks_ & bit) == 0) {
      banks_ |= bit;
      line.head = i;
    } else {
      pool[line.tail].next = i;
    }
    line.tail = i;
    ++size_;
  }

  // Removes and returns the oldest segment whose bank is in `allowed`; there has to be one.
  std::uint32_t pop_first(const SegmentPool& pool, std::uint64_t allowed) {
    std::uint64_t m = allowed & banks_;
    int bank = std::countr_zero(m);
    for (m &= m - 1; m != 0; m &= m - 1) {
      const int b = std::countr_zero(m);
      if (pool[head(b)].order < pool[head(bank)].order) bank = b;
    }
    Line& line = lines_[static_cast<std::size_t>(bank)];
    const std::uint32_t i = line.head;
    if (i == line.tail) {
      banks_ &= ~(std::uint64_t{1} << bank);
    } else {
      line.head = pool[i].next;
    }
    --size_;
    return i;
  }

 private:
  std::uint32_t head(int bank) const { return lines_[static_cast<std::size_t>(bank)].head; }
  struct Line {
    std::uint32_t head = 0, tail = 0;
  };
  std::array<Line, 64> lines_{};
  std::uint64_t banks_ = 0, next_order_ = 0;
  std::size_t size_ = 0, capacity_;
};

}  // namespace heddle::memory
