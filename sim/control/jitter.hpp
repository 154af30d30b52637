// SPDX-License-Identifier: Apache-2.0
// Adversarial timing: delays that a seed draws, within what hardware is allowed to do. Each instruction of an engine
// may start later than it could, and be complete later than it was; the sequencer may take longer for what leaves the
// scalar world. What the ISA promises stays: an engine's instructions in queue order, posts after effects.
//
// A delay depends on the seed and on whose it is alone (launch, core, agent, number of the instruction), never on what
// was drawn before: the same seed gives the same run, and an instruction keeps its delays when others change.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::control {

struct JitterOptions {
  static constexpr std::int64_t standard_most_cycles = 4096;
  std::uint64_t seed = 0;
  std::int64_t most_cycles = standard_most_cycles;  // of one delay, in cycles of the core's clock
};

// "SEED" or "SEED,MAX": a whole number, and one of cycles from 1 to 2^30. Throws HDL-JIT-01 (bad_input).
JitterOptions parse_jitter(std::string_view text);
// Takes the "jitter=..." entries out of a device's overrides; the last one holds.
std::optional<JitterOptions> take_jitter(std::vector<std::string>& overrides);

enum class Delay : std::uint8_t { start, completion, sequencer };

class Jitter {
 public:
  explicit Jitter(JitterOptions options) : options_(options) {}
  void begin_launch() { ++launch_; }
  // 0 to most_cycles, of instruction `number` of an agent of a core.
  //
  // A race shows when one agent falls behind while those on the other way do not, so most are calm most of the time:
  // for each stretch of 16 instructions an agent draws a bound, which is no delay at all (5 in 8), most_cycles (1 in
  // 4), or a power of two below, which shuffles neighbours (1 in 8).
  std::int64_t cycles(std::uint32_t core, std::uint32_t agent, std::uint64_t number, Delay which) const;

 private:
  JitterOptions options_;
  std::uint64_t launch_ = 0;
};

}  // namespace heddle::control
