// SPDX-License-Identifier: Apache-2.0
// A network by itself under the traffic patterns that networks are measured with. Each core sends packets to others,
// back to back or at a rate:
//   neighbour  to the next core (the last to the first)
//   uniform    to any core at random
//   transpose  core (x, y) of a square to (y, x); only a square number of cores
//   hotspot    all to one core in the middle
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/noc/i_noc_model.hpp"

namespace heddle::noc {

struct PatternLoad {
  std::string pattern = "uniform";
  std::int64_t packets = 1000;  // of each core
  std::int64_t bytes = 256;     // of a packet
  double rate = 0;              // packets a core offers a cycle; 0: each as soon as its own link is free of the last
  std::uint64_t seed = 12345;
};

struct PatternResult {
  double cycles = 0;                            // until the last packet is there
  double bound_cycles = 0;                      // what the busiest link carries: no schedule is faster
  double bytes_per_cycle = 0;                   // delivered, of all cores
  double latency_average = 0, latency_p99 = 0;  // cycles, from when a packet is offered
  double idle_latency = 0;                      // of the same packets one by one, on average
  std::string busiest;                          // link
};

const std::vector<std::string>& pattern_names();

// Throws bad_input HDL-NOC-06 for a pattern it does not know or a value out of range, HDL-NOC-01 and -02 for the
// network.
PatternResult run_pattern(const config::NocSpec& spec, int cores, TimeFs period, const PatternLoad& load);

}  // namespace heddle::noc
