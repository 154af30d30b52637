// SPDX-License-Identifier: Apache-2.0
// A memory without banks: one pipe of the stack's whole bandwidth, in order, and a fixed latency. The yardstick that
// says what the DRAM's own behaviour costs. And one that answers at once, though its peak is the same to those who ask:
// what a run gains with it is what all of the memory costs.
#include <algorithm>
#include <deque>
#include <limits>

#include "isa/base/error.hpp"
#include "sim/memory/dram_setup.hpp"
#include "sim/memory/registry.hpp"

namespace heddle::memory {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::int64_t fs_in_second = 1'000'000'000'000'000;

class IdealMemory final : public IMemoryModel {
 public:
  IdealMemory(const config::MemorySpec& spec, bool instant) : instant_(instant) {
    if (spec.bandwidth_bytes_per_second > 0 && spec.standard.empty()) {
      bytes_per_second_ = spec.bandwidth_bytes_per_second;
      channels_ = static_cast<int>(std::max<std::int64_t>(1, spec.channels));
      round_trip_ = spec.latency * 2;
    } else {
      const DramSetup setup = make_dram_setup(spec);
      bytes_per_second_ = setup.peak_bytes_per_second;
      channels_ = setup.channels;
      round_trip_ = TimeFs(2 * setup.path_fs);
    }
  }

  void push(const Request& r) override {
    if (r.bytes == 0) fail(ErrorKind::internal, "HDL-MEM-04", "a memory request of 0 bytes at {:#x}", r.address);
    if (instant_) {
      (r.write ? stats_.bytes_written : stats_.bytes_read) += r.bytes;
      pending_.push_back({r.tag, r.arrival});
      return;
    }
    if (r.arrival > free_) {
      free_ = r.arrival;
      remainder_ = 0;
    }
    // bytes / bandwidth in femtoseconds, exact over a busy period: the fraction is carried to the next request.
    const std::int64_t bytes = r.bytes;
    std::int64_t time = bytes * (fs_in_second / bytes_per_second_);
    const Wide fraction = Wide{r.bytes} * static_cast<Wide>(fs_in_second % bytes_per_second_) + remainder_;
    time += static_cast<std::int64_t>(fraction / static_cast<Wide>(bytes_per_second_));
    remainder_ = fraction % static_cast<Wide>(bytes_per_second_);
    free_ += TimeFs(time);
    stats_.busy += TimeFs(time) * channels_;  // the pipe is all of them side by side
    (r.write ? stats_.bytes_written : stats_.bytes_read) += r.bytes;
    pending_.push_back({r.tag, free_ + round_trip_});
  }

  TimeFs next_decision() const override {
    return pending_.empty() ? TimeFs(std::numeric_limits<std::int64_t>::max()) : pending_.front().time;
  }

  void advance(TimeFs until, std::vector<Completion>& out) override {
    for (; !pending_.empty() && pending_.front().time <= until; pending_.pop_front()) out.push_back(pending_.front());
  }

  const MemoryStats& stats() const override { return stats_; }
  std::int64_t peak_bytes_per_second() const override { return bytes_per_second_; }
  int channels() const override { return channels_; }
  bool instant() const override { return instant_; }

 private:
  bool instant_;
  std::int64_t bytes_per_second_ = 0;
  int channels_ = 1;
  TimeFs round_trip_{}, free_{};
  Wide remainder_ = 0;  // of bytes_per_second_
  std::deque<Completion> pending_;
  MemoryStats stats_;
};

template <bool instant>
std::unique_ptr<IMemoryModel> make(const config::MemorySpec& spec) {
  return std::make_unique<IdealMemory>(spec, instant);
}
const Registration ideal_registration{"ideal", make<false>};
const Registration instant_registration{"instant", make<true>};

}  // namespace
}  // namespace heddle::memory
