// SPDX-License-Identifier: Apache-2.0
// What every topology shares: links that are reserved, and the arithmetic of a packet that passes along a route of
// them. A topology names its links in its constructor and says which ones a route takes.
#pragma once
#include <string>
#include <vector>

#include "sim/noc/i_noc_model.hpp"
#include "sim/noc/link_schedule.hpp"

namespace heddle::noc {

class LinkNetwork : public INocModel {
 public:
  LinkNetwork(const config::NocSpec& spec, int cores, int memory_ports, TimeFs period);

  int cores() const final { return cores_; }
  int memory_ports() const final { return memory_ports_; }
  TimeFs deliver(NodeId from, NodeId to, std::int64_t bytes, TimeFs depart) final;
  RunArrival deliver_run(NodeId from, NodeId to, std::int64_t bytes, std::int64_t count, TimeFs depart,
                         TimeFs spacing) final;
  TimeFs idle_latency(NodeId from, NodeId to, std::int64_t bytes) const final;
  const std::vector<LinkStats>& links() const final { return stats_; }

 protected:
  using LinkIndex = int;
  LinkIndex add_link(std::string name);
  std::string node_name(int node) const;
  int nodes() const { return cores_ + memory_ports_; }

  // Appends the links of the route in order: the sender's, those between routers, the receiver's.
  virtual void route(int from, int to, std::vector<LinkIndex>& out) const = 0;

 private:
  int checked(NodeId node) const;
  TimeFs hold_time(std::int64_t bytes) const;

  int cores_, memory_ports_;
  std::int64_t width_bytes_, header_bytes_;
  TimeFs period_, hop_;
  std::vector<LinkSchedule> schedules_;  // by link
  std::vector<LinkStats> stats_;
  mutable std::vector<LinkIndex> path_;  // scratch of the current call
  mutable std::int64_t held_bytes_ = -1;
  mutable TimeFs held_{};  // what a packet of held_bytes_ holds a link for
};

}  // namespace heddle::noc
