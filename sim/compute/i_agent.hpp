// SPDX-License-Identifier: Apache-2.0
// Whoever acts in a core: its sequencer and its engines. Each sleeps until its agenda marks it, then does all it can.
#pragma once
#include <cstdint>
#include <limits>

#include "isa/base/strong.hpp"

namespace heddle::compute {

// Agent 0 is the sequencer; the engines follow in the order mxu, vpu, dma.
using AgentId = std::uint8_t;
inline constexpr AgentId sequencer_agent = 0;
inline constexpr int max_agents = 64;

inline constexpr TimeFs never{std::numeric_limits<std::int64_t>::max()};

class IAgent {
 public:
  virtual ~IAgent() = default;
  // Goes on as far as what is known allows. Called again whenever that changes; a call too many changes nothing.
  virtual void run() = 0;
};

}  // namespace heddle::compute
