// SPDX-License-Identifier: Apache-2.0
// Hooks around a core's arrays: who watches them, and what else may stand in their place.
#pragma once
#include <functional>
#include <memory>

#include "sim/compute/engine.hpp"

namespace heddle::compute {

// Sees every load and matmul of every array, in queue order. Never changes a cycle.
class IMxuObserver {
 public:
  virtual ~IMxuObserver() = default;
  // `start`: the first row is asked for; `fed`: the last row has been, so that the next stream, or one on these
  // weights, may begin (output-stationary: `end`); `end`: the last weight rests, the last result is out. An empty
  // instruction has all three equal.
  // In full mode and with one host thread the matmul's values stand in ACC.
  virtual void ran(const exec::EngineOp& op, TimeFs start, TimeFs fed, TimeFs end) = 0;
};

// Makes the engine that a core puts in an array's place.
using MxuFactory =
    std::function<std::unique_ptr<Engine>(const char* name, CoreContext& context, std::uint32_t index, AgentId id)>;

}  // namespace heddle::compute
