// SPDX-License-Identifier: Apache-2.0
// A network on chip as arithmetic: no SystemC, no events; a packet's arrival time is known when it is sent.
//
// Contract
// - Nodes are the chip's cores (0 .. cores-1) and its memory ports (0 .. memory_ports-1); core() and memory() name
// them.
// - A packet of n bytes holds each link of its route for ceil((n + header) / width) cycles, begins on the next link
//   hop_cycles after it began on this one (cut-through), and waits where that link is still held: buffers are
//   unbounded, so a blocked packet holds no link behind it. A route has one link into the first router, one between
//   each two routers, one out of the last; so an idle network delivers after routers * hop_cycles + serialization.
// - Links are reserved in the order of the calls, each packet at the earliest time at which the link is free from its
// own
//   time on. Engines compute a little ahead of each other, so `depart` may step back between calls: a link remembers
//   the latest gaps between what is reserved, and what lies before them counts as taken.
// - Times are not rounded to cycles. `depart` is when the first byte is ready at the sender; the result is when the
// last
//   byte is at the receiver. from == to is allowed and takes the same ports.
// - Deterministic: equal calls in equal order give equal results, whatever the host.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/strong.hpp"
#include "sim/config/chip_spec.hpp"

namespace heddle::noc {

using NodeId = StrongId<struct NodeTag>;

// Arrival of packet i of a run: the later of two lines, one set by the sender's pace, one by the backlog on the route.
struct RunArrival {
  TimeFs paced{}, paced_step{};
  TimeFs queued{}, queued_step{};
  TimeFs at(std::int64_t i) const { return std::max(paced + paced_step * i, queued + queued_step * i); }
};

struct LinkStats {
  std::string name;  // such as "core0 out", "memory3 in", "r2 to r3"
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;  // payload and headers
  TimeFs busy{};            // time the link was held
};

class INocModel {
 public:
  virtual ~INocModel() = default;
  virtual int cores() const = 0;
  virtual int memory_ports() const = 0;
  NodeId core(int index) const { return NodeId(static_cast<std::uint32_t>(index)); }
  NodeId memory(int port) const { return NodeId(static_cast<std::uint32_t>(cores() + port)); }

  // Arrival of the last byte. bytes >= 0 (0: the header alone, at least one cycle).
  virtual TimeFs deliver(NodeId from, NodeId to, std::int64_t bytes, TimeFs depart) = 0;
  // A run of equal packets, i = 0 .. count-1 departing at depart + i * spacing, at the cost of one: they arrive when
  // count calls of deliver() would have them arrive on a network that is idle, or taken until later than the run. Of
  // each link it takes the time that its packets need, in one piece. count >= 1, spacing >= 0.
  virtual RunArrival deliver_run(NodeId from, NodeId to, std::int64_t bytes, std::int64_t count, TimeFs depart,
                                 TimeFs spacing) = 0;
  // What deliver() would return on an idle network for depart = 0; reserves nothing.
  virtual TimeFs idle_latency(NodeId from, NodeId to, std::int64_t bytes) const = 0;

  virtual const std::vector<LinkStats>& links() const = 0;
};

// By spec.topology; a registered implementation's .cpp adds itself. `period` is the core clock's. Throws HDL-NOC-01
// (bad_input) with the known names, HDL-NOC-02 for a spec or a count of nodes that makes no network.
std::unique_ptr<INocModel> make_noc_model(const config::NocSpec& spec, int cores, int memory_ports, TimeFs period);

}  // namespace heddle::noc
