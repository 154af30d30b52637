// SPDX-License-Identifier: Apache-2.0
// A network that costs nothing: every packet is there when it is sent. It has no links, so nothing is counted. What a
// run gains with it is what its network costs.
#include "sim/noc/registry.hpp"

namespace heddle::noc {
namespace {

class Instant final : public INocModel {
 public:
  Instant(int cores, int memory_ports) : cores_(cores), memory_ports_(memory_ports) {}
  int cores() const override { return cores_; }
  int memory_ports() const override { return memory_ports_; }
  TimeFs deliver(NodeId, NodeId, std::int64_t, TimeFs depart) override { return depart; }
  RunArrival deliver_run(NodeId, NodeId, std::int64_t, std::int64_t, TimeFs depart, TimeFs spacing) override {
    return {depart, spacing, depart, TimeFs{}};
  }
  TimeFs idle_latency(NodeId, NodeId, std::int64_t) const override { return {}; }
  const std::vector<LinkStats>& links() const override { return links_; }

 private:
  int cores_, memory_ports_;
  std::vector<LinkStats> links_;
};

const Registration registration{"instant", [](const config::NocSpec&, int cores, int memory_ports, TimeFs) {
                                  return std::unique_ptr<INocModel>(std::make_unique<Instant>(cores, memory_ports));
                                }};

}  // namespace
}  // namespace heddle::noc
