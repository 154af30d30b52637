// SPDX-License-Identifier: Apache-2.0
// The systolic array and its queue.
//
// Weight-stationary: a load goes into a set of weights that no matmul streams through any more: with background_load
// the spare set, so that it runs beside the matmul before it; without, once that matmul's last row has left the array.
// A matmul streams when its weights have arrived and the matmul before it has let its last row in; back to back matmuls
// overlap fill and drain. It is complete when its last row has left. The scratchpad's latency delays weights and rows
// alike, so it shows in completions only.
// Output-stationary: nothing rests but the results, so a load only names the tile (issue_cycles), and each matmul has
// the array to itself. With overlap_folds matmuls stream back to back and their results shift out meanwhile; then a
// load takes the port for least_load_cycles (initial sums that shift in), under the same rules as weights.
#pragma once
#include <array>
#include <optional>

#include "sim/compute/engine.hpp"

namespace heddle::compute {

class Mxu final : public Engine {
 public:
  Mxu(sc_core::sc_module_name name, CoreContext& context, std::uint32_t index, AgentId id);
  void run() override;
  void begin_launch(TimeFs start) override;

 private:
  // Earliest start by the array's own state; then the instruction's course once it starts.
  TimeFs earliest(const exec::EngineOp& op) const;
  TimeFs start(const exec::EngineOp& op, TimeFs at);  // returns the end
  void observe(const exec::EngineOp& op, TimeFs at, TimeFs end) const;
  // With banks of one port: when simulated time will have settled what the instruction reads; now or earlier if it has.
  TimeFs settled(const exec::EngineOp& op, TimeFs at) const;
  // Of an access that takes so long and reads `words` of the view's bank: behind what DMA engines write there.
  TimeFs behind_writes(const isa::View& view, std::int64_t words, TimeFs took, TimeFs at);

  const config::MxuSpec& spec_;
  const config::ScratchpadSpec& spm_;
  bool exclusive_;  // output-stationary, and a matmul has the array to itself
  bool output_stationary_;
  std::size_t sets_;                  // of weights: 2 with background_load
  std::optional<TimeFs> taken_;       // when the head took its semaphores, while it waits to be settled
  TimeFs wake_{};                     // the latest wake-up asked for
  std::size_t stream_bank_ = 0;       // from which the last matmul's rows came,
  TimeFs stream_read_{};              // until then
  TimeFs next_issue_{};               // an instruction starts issue_cycles after the one before, at least
  TimeFs load_free_{};                // the load port
  TimeFs stream_free_{};              // the last matmul's last row is in
  TimeFs drained_{};                  // ... is out
  TimeFs weights_ready_{};            // of the newest load
  std::array<TimeFs, 2> streamed_{};  // by set: the last matmul that uses it has let its last row in
  std::size_t set_ = 0;               // that matmuls use
};

}  // namespace heddle::compute
