// SPDX-License-Identifier: Apache-2.0
// The DRAM model "bank": an address map, channels that know banks and rows, and the requests that their segments add up
// to. See i_memory_model.hpp for the contract; beyond it:
// - An arrival takes effect at the first clock edge after it, never at one that coincides with it: what advance(t)
//   decided at t stands, whatever is pushed at t afterwards.
// - Arrivals may come in any order as long as none lies before the last advance(); one that does counts as arriving
// then.
// - A write completes one clock after its last piece got a place in a write buffer.
#pragma once
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "sim/memory/address_map.hpp"
#include "sim/memory/channel.hpp"

namespace heddle::memory {

class BankMemory final : public IMemoryModel {
 public:
  // Throws bad_input HDL-MEM-02, HDL-MEM-03, HDL-DRAM-01, HDL-DRAM-02.
  explicit BankMemory(const config::MemorySpec& spec);
  BankMemory(const config::MemorySpec& spec, const DramSetup& setup);

  void push(const Request& request) override;
  TimeFs next_decision() const override;
  void advance(TimeFs until, std::vector<Completion>& out) override;
  const MemoryStats& stats() const override;
  void channel_stats(std::vector<ChannelStats>& out) const override;
  std::int64_t peak_bytes_per_second() const override { return setup_.peak_bytes_per_second; }
  int channels() const override { return setup_.channels; }

  const DramSetup& setup() const { return setup_; }
  DramAddress decode(std::uint64_t address) const { return map_.decode(address >> map_.burst_shift()); }
  // Whether a channel has room for a request that is pushed now: for drivers that hold theirs back.
  bool has_room(int channel, bool write) const { return channels_[static_cast<std::size_t>(channel)]->accepts(write); }
  // Earliest time at which advance() could make room or hand a completion back; TimeFs max when nothing is pending.
  TimeFs next_change() const;
  // From now on every command is appended to `trace` (nullptr: no more). Changes no time.
  void watch(std::vector<Command>* trace);

 private:
  struct Pending {
    std::uint64_t tag = 0, order = 0;
    Clock last = 0;
    std::uint32_t segments = 0;  // still to come
    bool write = false;
  };
  struct Finished {
    Clock at = 0;
    std::uint64_t order = 0, tag = 0;
    bool operator<(const Finished& o) const { return at != o.at ? at < o.at : order < o.order; }
  };
  // Known, but not yet handed back, sorted. What comes is nearly in order, so it goes in from the end. A ring.
  class Line {
   public:
    bool empty() const { return head_ == tail_; }
    Clock first() const { return first_; }
    const Finished& front() const { return ring_[head_ & mask_]; }
    void add(Clock at, std::uint64_t order, std::uint64_t tag) {
      if (tail_ - head_ > mask_) grow();
      std::size_t i = tail_++;
      for (; i != head_ && Finished{at, order, tag} < ring_[(i - 1) & mask_]; --i)
        ring_[i & mask_] = ring_[(i - 1) & mask_];
      Finished& f = ring_[i & mask_];
      f.at = at;
      f.order = order;
      f.tag = tag;
      first_ = std::min(first_, at);
    }
    void pop() {
      ++head_;
      first_ = empty() ? never : front().at;
    }
    void add_all(std::vector<Finished>& list);  // sorts them first

   private:
    void grow();
    std::vector<Finished> ring_ = std::vector<Finished>(64);
    std::size_t mask_ = 63, head_ = 0, tail_ = 0;
    Clock first_ = never;
  };
  void push_segment(Clock arrival, std::uint32_t request, const DramAddress& place, std::uint64_t bursts, bool write);
  void settle();
  TimeFs time_of(Clock at) const { return TimeFs(at * setup_.clock_fs + setup_.path_fs); }

  DramSetup setup_;
  AddressMap map_;
  std::vector<std::unique_ptr<Channel>> channels_;  // pointers: a channel is large and refers to setup_
  std::vector<Pending> requests_;
  std::vector<std::uint32_t> free_requests_;
  std::vector<Clock> next_;           // by channel: its next_event()
  mutable std::vector<Clock> bound_;  // by channel: its earliest_completion(), once asked for
  Line reads_, writes_;               // apart, because a write is done at once and a read a latency later
  std::vector<Done> done_;
  std::uint64_t order_ = 0, outstanding_ = 0;
  std::int64_t last_arrival_fs_ = -1;
  Clock last_arrival_clock_ = 0;
  std::uint64_t last_run_ = ~std::uint64_t{0};  // of the last small request, and where it lies
  DramAddress last_place_;
  Clock decided_ = -1;  // of the last advance()
  mutable MemoryStats stats_;
};

}  // namespace heddle::memory
