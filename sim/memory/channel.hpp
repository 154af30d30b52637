// SPDX-License-Identifier: Apache-2.0
// One DRAM channel and its controller, from event to event: nothing happens in a clock that holds no decision.
//
// A request's segments wait in a backlog until their arrival, then in a bounded read queue or write buffer, then at
// their bank. In a clock with something to do, in this order: segments whose time has come enter the queues; a command
// goes out (a refresh that is due first, else the first ready one, banks taken in turn; two where row and column
// commands have buses of their own); one segment moves to its bank, if there is room. Reads go before writes, until the
// write buffer is full, or holds more than a mark while no command waits: then what it holds is written out. At a bank
// the first command that is ready goes, row hits first; a conflict may close the row when no hit waits, or after
// row_hit_limit requests. All of it follows the controller that the reference measurements were taken with, except that
// a segment's bursts are served in one go.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sim/memory/channel_timing.hpp"
#include "sim/memory/i_memory_model.hpp"
#include "sim/memory/segment_queue.hpp"

namespace heddle::memory {

// Of an idle channel, beside the device's own latency: into its queue, and on to the bank, before the command goes out.
inline constexpr Clock controller_clocks = 2;

struct Done {
  std::uint32_t request = 0;
  Clock at = 0;
};

class Channel {
 public:
  Channel(const DramSetup& setup, const Constraints& constraints, int index);

  // Arrivals may come in any order as long as they lie after the last run().
  void push(Clock arrival, std::uint32_t request, std::int32_t row, std::uint64_t bursts, int bank, bool write) {
    const std::uint32_t i = pool_.take();
    Segment& s = pool_[i];
    s.arrival = std::max(arrival, now_ + 1);
    s.request = request;
    s.row = row;
    s.bursts = static_cast<std::uint16_t>(bursts);
    s.bank = static_cast<std::uint8_t>(bank);
    s.write = write;
    ++coming_[write ? 1 : 0];
    if (backlog_head_ < backlog_.size() && pool_[backlog_.back()].arrival > s.arrival)
      insert(i);
    else
      backlog_.push_back(i);
    if (!(write ? writes_ : reads_).full()) next_ = std::min(next_, s.arrival);
  }
  // Takes every decision up to and including clock `until`. Appends an entry for each segment finished.
  void run(Clock until, std::vector<Done>& done);
  // The next clock in which run() would do something; `never` when all is done.
  Clock next_event() const { return next_; }
  // No segment can finish before this clock, whatever run() decides; `never` when none is waiting.
  Clock earliest_completion() const;

  // Whether a request that arrived now would enter its queue in the next clock.
  bool accepts(bool write) const;

  void watch(std::vector<Command>* trace) { trace_ = trace; }
  ChannelStats stats(std::int64_t clock_fs) const;

 private:
  static constexpr int max_bank_queue = 16;
  static constexpr std::uint8_t conflict_mark = 255;  // in hits: the bank was closed for another row
  struct BankQueue {
    std::array<std::uint32_t, max_bank_queue> ring{};  // segments
    std::uint8_t head = 0, size = 0, reads = 0;
    std::uint8_t hits = 0;                        // requests served from the open row, saturating
    std::uint32_t read_hits = 0, write_hits = 0;  // by position: those of the open row

    // The oldest is [0].
    std::uint32_t& operator[](int i) { return ring[static_cast<std::size_t>((head + i) & (max_bank_queue - 1))]; }
  };
  enum Bus : unsigned { no_bus = 0, row_bus = 1, column_bus = 2, any_bus = 3 };

  static std::uint64_t bit(int bank) { return std::uint64_t{1} << bank; }
  BankQueue& queue(int bank) { return queues_[static_cast<std::size_t>(bank)]; }
  const BankQueue& queue(int bank) const { return queues_[static_cast<std::size_t>(bank)]; }

  void insert(std::uint32_t segment);
  void step(Clock now, std::vector<Done>& done);
  void admit(Clock now, std::vector<Done>& done);
  void schedule();
  bool draining() const;
  Clock next_admission(Clock now) const;
  void plan(Clock now);

  void find_hits(int bank);
  void update_wants(int bank);
  static void take(BankQueue& q, int position);
  void issue(Clock now, unsigned buses, std::vector<Done>& done);
  void activate(int bank, Clock now);
  void precharge(int bank, Clock now);
  void issue_column(int bank, int position, Clock now, std::vector<Done>& done);
  void find_next(Clock from);

  void refresh_clock(Clock now);
  Clock refresh_action_at(Clock from) const;
  void refresh_action(Clock now);
  void catch_up_refresh(Clock now);
  void skip_idle_refreshes(Clock now);
  void set_blocked(std::uint64_t banks);
  bool refreshing() const { return refreshes_owed_ > 0; }
  bool refresh_step(Clock now);

  void record(Op op, int bank, std::int32_t row, Clock at) {
    if (trace_ != nullptr) trace_->push_back({op, index_, static_cast<std::int16_t>(bank), row, at});
  }

  const DramSetup& setup_;
  Constraints c_;
  ChannelTiming timing_;
  std::int16_t index_;
  const bool two_buses_, closed_page_;
  const int bank_queue_, row_hit_limit_;
  const std::size_t write_low_mark_;
  SegmentPool pool_;
  std::vector<std::uint32_t> backlog_;  // segments by arrival; before backlog_head_ already admitted
  std::size_t backlog_head_ = 0;
  std::array<std::size_t, 2> coming_{};  // reads and writes of the backlog
  SegmentQueue reads_, writes_;
  std::size_t to_drain_ = 0;
  std::array<BankQueue, max_banks> queues_{};
  // Banks by the command they want: an activate if closed; else a precharge, a read, a write, or several of them.
  std::uint64_t want_activate_ = 0, want_precharge_ = 0, want_read_ = 0, want_write_ = 0;
  // No earlier can the next command of a kind go, to a bank that no refresh blocks. May lag behind what other commands
  // have put off.
  Clock next_activate_ = never, next_precharge_ = never, next_column_ = never;
  Clock later_column_ = never;  // of the reads that were not ripe at the last look
  std::uint64_t occupied_ = 0, full_ = 0, blocked_ = 0;
  std::uint64_t with_reads_ = 0;  // of occupied_
  std::int64_t waiting_ = 0;      // commands at all banks
  int turn_ = 0;                  // the bank that went last
  Clock now_ = -1, next_ = never;

  Clock refresh_interval_ = never, refresh_due_ = never;
  std::int64_t refreshes_owed_ = 0;
  Clock refresh_at_ = never;  // while one is owed: the next command it takes
  int refresh_target_ = 0;    // rank or bank

  std::uint64_t row_hits_ = 0, row_misses_ = 0, row_conflicts_ = 0, refreshes_ = 0;
  std::int64_t busy_clocks_ = 0;
  std::vector<Command>* trace_ = nullptr;
};

}  // namespace heddle::memory
