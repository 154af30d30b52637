// SPDX-License-Identifier: Apache-2.0
#include "sim/noc/link_network.hpp"

#include <algorithm>

#include "isa/base/error.hpp"

namespace heddle::noc {

LinkNetwork::LinkNetwork(const config::NocSpec& spec, int cores, int memory_ports, TimeFs period)
    : cores_(cores),
      memory_ports_(memory_ports),
      width_bytes_(spec.width_bytes),
      header_bytes_(spec.header_bytes),
      period_(period),
      hop_(period * spec.hop_cycles) {}

LinkNetwork::LinkIndex LinkNetwork::add_link(std::string name) {
  schedules_.emplace_back();
  stats_.push_back({std::move(name), 0, 0, TimeFs{}});
  return static_cast<LinkIndex>(stats_.size()) - 1;
}

std::string LinkNetwork::node_name(int node) const {
  return node < cores_ ? "core" + std::to_string(node) : "memory" + std::to_string(node - cores_);
}

int LinkNetwork::checked(NodeId node) const {
  const auto index = static_cast<std::int64_t>(node.value());
  if (index >= nodes())
    fail(ErrorKind::internal, "HDL-NOC-03", "node {} of a network of {} cores and {} memory ports", index, cores_,
         memory_ports_);
  return static_cast<int>(index);
}

TimeFs LinkNetwork::hold_time(std::int64_t bytes) const {
  if (bytes < 0) fail(ErrorKind::internal, "HDL-NOC-04", "a packet of {} bytes", bytes);
  if (bytes != held_bytes_) {  // packets of a size come together
    held_bytes_ = bytes;
    held_ = period_ * std::max<std::int64_t>(1, (bytes + header_bytes_ + width_bytes_ - 1) / width_bytes_);
  }
  return held_;
}

TimeFs LinkNetwork::deliver(NodeId from, NodeId to, std::int64_t bytes, TimeFs depart) {
  return deliver_run(from, to, bytes, 1, depart, TimeFs{}).at(0);
}

// On an idle route packet i begins on a link at paced + i*step, where step is the sender's spacing or, if that is
// longer, the time that a packet holds the link. Where the link is taken, the packets queue: they begin at queued +
// i*hold at the earliest. Both are lines in i, delayed by a hop from link to link. What a run takes of a link is the
// time its packets hold it, in one piece: the gaps between packets of a sender slower than the link are open to others.
RunArrival LinkNetwork::deliver_run(NodeId from, NodeId to, std::int64_t bytes, std::int64_t count, TimeFs depart,
                                    TimeFs spacing) {
  if (count < 1 || spacing < TimeFs{})
    fail(ErrorKind::internal, "HDL-NOC-05", "a run of {} packets {} fs apart", count, spacing.value());
  path_.clear();
  route(checked(from), checked(to), path_);
  const TimeFs hold = hold_time(bytes);
  const TimeFs step = std::max(spacing, hold);
  TimeFs paced = depart;
  TimeFs queued = depart;
  for (std::size_t i = 0; i < path_.size(); ++i) {
    if (i > 0) {
      paced += hop_;
      queued += hop_;
    }
    const auto link = static_cast<std::size_t>(path_[i]);
    queued = schedules_[link].reserve(queued, hold * count);
    LinkStats& s = stats_[link];
    s.packets += static_cast<std::uint64_t>(count);
    s.bytes += static_cast<std::uint64_t>((bytes + header_bytes_) * count);
    s.busy += hold * count;
  }
  return {paced + hold, step, queued + hold, hold};
}

TimeFs LinkNetwork::idle_latency(NodeId from, NodeId to, std::int64_t bytes) const {
  path_.clear();
  route(checked(from), checked(to), path_);
  return hop_ * (static_cast<std::int64_t>(path_.size()) - 1) + hold_time(bytes);
}

}  // namespace heddle::noc
