// SPDX-License-Identifier: Apache-2.0
// One router that joins every node to every other: packets meet only at the sender's and the receiver's port.
#include "sim/noc/link_network.hpp"
#include "sim/noc/registry.hpp"

namespace heddle::noc {
namespace {

class Crossbar final : public LinkNetwork {
 public:
  Crossbar(const config::NocSpec& spec, int cores, int memory_ports, TimeFs period)
      : LinkNetwork(spec, cores, memory_ports, period) {
    for (int n = 0; n < nodes(); ++n) add_link(node_name(n) + " out");
    for (int n = 0; n < nodes(); ++n) add_link(node_name(n) + " in");
  }

 protected:
  void route(int from, int to, std::vector<LinkIndex>& out) const override {
    out.push_back(from);
    out.push_back(nodes() + to);
  }
};

const Registration registration{
    "crossbar", [](const config::NocSpec& spec, int cores, int memory_ports, TimeFs period) {
      return std::unique_ptr<INocModel>(std::make_unique<Crossbar>(spec, cores, memory_ports, period));
    }};

}  // namespace
}  // namespace heddle::noc
