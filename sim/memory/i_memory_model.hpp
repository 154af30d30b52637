// SPDX-License-Identifier: Apache-2.0
// A memory stack as arithmetic: no SystemC, no events, only "what is decided up to time t".
//
// Contract
// - push() takes requests in non-decreasing arrival order. A request is a contiguous byte range (a packet); the model
// splits
//   it into bursts and spreads them over channels and banks by its address mapping.
// - next_decision() is the earliest time at which advance() could complete a request given what was pushed so far
//   (TimeFs max when nothing is pending). Pushing more may move it either way.
// - advance(until) commits all scheduling decisions up to `until` and appends the completions with time <= until, in
// time
//   order (ties by push order). A completion's time is when the request's last byte has left (read) or been accepted by
//   (write) the memory. Nothing later than `until` is decided if a request arriving after `until` could change it.
// - Deterministic: the same pushes and advances give the same completions; and advancing in smaller steps changes
// nothing.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/base/strong.hpp"
#include "sim/config/chip_spec.hpp"

namespace heddle::memory {

struct Request {
  std::uint64_t tag = 0;      // the caller's, handed back
  std::uint64_t address = 0;  // byte address in the stack
  std::uint32_t bytes = 0;    // > 0
  bool write = false;
  TimeFs arrival{};
};

struct Completion {
  std::uint64_t tag = 0;
  TimeFs time{};
};

struct MemoryStats {
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;     // bank was closed
  std::uint64_t row_conflicts = 0;  // another row was open
  std::uint64_t refreshes = 0;
  TimeFs busy{};  // summed over channels: time the data bus carried data
};

// Of one channel; counts as in MemoryStats.
struct ChannelStats {
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0, refreshes = 0;
  TimeFs busy{};
};

class IMemoryModel {
 public:
  virtual ~IMemoryModel() = default;
  virtual void push(const Request& request) = 0;
  virtual TimeFs next_decision() const = 0;
  virtual void advance(TimeFs until, std::vector<Completion>& out) = 0;
  virtual const MemoryStats& stats() const = 0;
  // Of each channel; of a model without any that it knows apart, nothing.
  virtual void channel_stats(std::vector<ChannelStats>& out) const { out.clear(); }
  virtual std::int64_t peak_bytes_per_second() const = 0;
  virtual int channels() const = 0;
  // It answers on arrival, whatever else it was asked: nobody needs to wait for more requests before it looks.
  virtual bool instant() const { return false; }
};

// By spec.model ("bank", "ideal", "instant"); a registered implementation's .cpp adds itself. Throws bad_input with the
// known names.
std::unique_ptr<IMemoryModel> make_memory_model(const config::MemorySpec& spec);

}  // namespace heddle::memory
