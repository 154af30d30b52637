// SPDX-License-Identifier: Apache-2.0
// An array of a core, in RTL: stands where compute::Mxu stands, in lockstep with simulated time.
//
// The RTL decides when an instruction starts, when it asks for a row, when a result leaves, and what it is. This engine
// is what surrounds it on a chip: it hands instructions over as the sequencer issues them, lets the head of the queue
// go once its semaphores are there, serves rows out of SPM (each latency cycles after its request, no faster than the
// banks allow) and writes results to ACC. Cycle c of the RTL is closed when simulated time has passed it, so whatever
// happens at its beginning is seen by it. mxu.sync asks nothing of the array and does not reach it.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sim/compute/mxu_observer.hpp"
#include "sim/exec/engine_values.hpp"
#include "sim/rtl/i_matrix_rtl.hpp"

namespace heddle::rtl {

// Sees more than compute::IMxuObserver does: each row and each result.
class IRtlObserver {
 public:
  virtual ~IRtlObserver() = default;
  // Row `row` of the instruction's streamed operand enters the array in the cycle that begins at `at`.
  virtual void entered(const exec::EngineOp& op, std::uint32_t row, TimeFs at) = 0;
  // Row `row` of the result leaves it; one word an element, before it is written to ACC.
  virtual void left(const exec::EngineOp& op, std::uint32_t row, TimeFs at, std::span<const std::uint32_t> bits) = 0;
};

class RtlMxu final : public compute::Engine {
 public:
  // Throws HDL-RTL-03 (unsupported) where the chip's array is not one this RTL can be (see docs/rtl.md).
  RtlMxu(const char* name, compute::CoreContext& context, std::uint32_t index, compute::AgentId id,
         std::unique_ptr<IMatrixRtl> rtl, IRtlObserver* observer);

  void run() override;
  void begin_launch(TimeFs start) override;
  bool finished() const override { return empty() && in_flight_.empty(); }

 private:
  // An instruction that has started. Rows are packed as the RTL's lanes take them.
  struct Work {
    exec::EngineOp op;
    bool done = false;
    TimeFs start{}, fed{}, end{};
    std::uint32_t count = 0;  // rows (output-stationary: steps) that come from memory
    std::uint32_t asked = 0, fed_rows = 0, left = 0;
    std::int64_t pace = 0;               // cycles in which memory can bring them all
    std::uint32_t fold = 0;              // output-stationary: steps after which it asks for nothing
    std::int64_t between = 0;            // ... for so many cycles
    std::vector<std::uint32_t> lanes;    // row by row
    std::vector<std::uint32_t> weights;  // output-stationary: rows of B, step by step
    std::size_t width = 0;               // lanes of a row
  };
  struct Due {
    TimeFs time;
    std::shared_ptr<Work> work;
  };
  using WorkRef = std::shared_ptr<Work>;

  void close_cycles(TimeFs until);
  void close_cycle();
  void offer();
  void give_instruction();
  void start_head();
  void retire();
  void wake();
  bool quiet() const;

  bool granted(const Work& work) const;
  void ask(WorkRef& work, std::deque<Due>& feeds);
  void take_result(const Outputs& out);
  void take_result(const Outputs& out, Work& work);
  Instruction instruction_of(const exec::EngineOp& op) const;
  void read_load(Work& work);
  void read_matmul(Work& work);
  std::vector<std::uint32_t> read_rows(const isa::View& view, const exec::EngineOp& op, bool columns) const;

  const config::MxuSpec& spec_;
  const config::ScratchpadSpec& spm_;
  std::unique_ptr<IMatrixRtl> rtl_;
  IRtlObserver* observer_;
  Inputs in_;
  TimeFs cycle_{};                  // the beginning of the RTL's current cycle
  TimeFs woken_{};                  // the latest wake-up asked for
  TimeFs stream_free_{};            // for counters: when the last stream has asked for all
  std::int64_t settling_ = 0;       // cycles in which something may still move through the array
  std::size_t given_ = 0;           // entries of the queue that the RTL has, from its head on; mxu.sync counts
  std::uint32_t in_rtl_ = 0;        // instructions in the RTL's queue
  Instruction pushed_;              // in this cycle
  std::optional<TimeFs> could_;     // since when the head could start but for its semaphores
  std::optional<TimeFs> released_;  // when they were there
  std::deque<WorkRef> in_flight_;   // in queue order, for completion
  WorkRef load_, stream_;           // that ask for rows
  std::deque<Due> weight_feeds_, stream_feeds_;
  std::deque<WorkRef> loads_, results_;  // whose last row is still to come, to leave
  exec::RestingTile tile_;               // what it is; the RTL has the values
  std::vector<std::uint32_t> b_;         // output-stationary: the tile named last, [k, n]
  std::vector<std::uint32_t> out_, old_;
};

}  // namespace heddle::rtl
