// SPDX-License-Identifier: Apache-2.0
// The vector unit and its queue: one instruction after the other.
#pragma once
#include <optional>

#include "sim/compute/engine.hpp"

namespace heddle::compute {

class Vpu final : public Engine {
 public:
  Vpu(sc_core::sc_module_name name, CoreContext& context, std::uint32_t index, AgentId id)
      : Engine(name, context, isa::Unit::vpu, index, id) {}
  void run() override;
  void begin_launch(TimeFs start) override;

 private:
  std::int64_t cycles_of(const exec::EngineOp& op, TimeFs at);
  TimeFs free_{};
  std::optional<TimeFs> start_;  // of the head, which has taken its semaphores and waits for that time
};

}  // namespace heddle::compute
