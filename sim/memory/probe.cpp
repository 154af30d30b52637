// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/probe.hpp"

#include <algorithm>

#include "isa/base/error.hpp"
#include "isa/base/nearest.hpp"

namespace heddle::memory {
namespace {

enum class Walk { bursts, group, random, rows };  // the next burst, in one bank group, anywhere, in the bank's next row

struct Kind {
  std::string name;
  Walk walk;
  bool refresh, latency;
  // The closed form: clocks a burst, or clocks of latency.
  double (*clocks)(const Constraints& c, double ranks);
};

const std::vector<Kind>& kinds() {
  const auto every_burst = [](const Constraints& c, double) { return static_cast<double>(c.ccd_s); };
  static const std::vector<Kind> list{
      {"stream_bg_interleaved_norefresh_GBs", Walk::bursts, false, false, every_burst},
      {"stream_bg_interleaved_refresh_GBs", Walk::bursts, true, false, every_burst},
      {"stream_same_bankgroup_GBs", Walk::group, false, false,
       [](const Constraints& c, double) { return static_cast<double>(c.ccd_l); }},
      {"random_closedrow_bound_GBs", Walk::random, false, false,
       [](const Constraints& c, double ranks) {
         const double activate = std::max(static_cast<double>(c.rrd_s), static_cast<double>(c.faw) / 4);
         return std::max(static_cast<double>(c.ccd_s), activate / ranks);
       }},
      {"single_bank_conflict_GBs", Walk::rows, false, false,
       [](const Constraints& c, double) { return static_cast<double>(c.rc); }},
      {"lat_row_hit_ns", Walk::bursts, false, true,
       [](const Constraints& c, double) { return static_cast<double>(c.read_latency); }},
      {"lat_row_conflict_ns", Walk::rows, false, true,
       [](const Constraints& c, double) { return static_cast<double>(c.rp + c.rcd_rd + c.read_latency); }},
  };
  return list;
}

// Reads of a burst each; the mapping puts consecutive bursts into other bank groups, or all of a group together.
std::vector<Access> walk(Walk kind, std::int64_t count, const config::MemorySpec& spec, const DramSetup& setup) {
  const config::DramOrganization& o = setup.dram.organization;
  const auto burst = static_cast<std::uint64_t>(setup.dram.burst_bytes());
  const auto group = static_cast<std::uint64_t>(o.page_bytes * o.banks);
  const auto row = static_cast<std::uint64_t>(o.page_bytes * setup.dram.banks_in_channel());
  Stream stream;
  stream.bytes = setup.dram.burst_bytes();
  stream.requests = count;
  if (kind == Walk::random) stream.pattern.kind = Pattern::Kind::random;
  if (kind == Walk::rows) stream.pattern = {Pattern::Kind::stride, row};
  std::vector<Access> list = accesses(stream, setup, AddressMap(spec.mapping, 0, setup));
  if (kind == Walk::group)
    for (std::uint64_t i = 0; i < list.size(); ++i)
      list[i].address = i / (group / burst) * row + i % (group / burst) * burst;
  return list;
}

}  // namespace

const std::vector<std::string>& probe_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Kind& k : kinds()) list.push_back(k.name);
    return list;
  }();
  return names;
}

Probe probe(const std::string& standard, const std::string& name) {
  const auto kind = std::find_if(kinds().begin(), kinds().end(), [&](const Kind& k) { return k.name == name; });
  if (kind == kinds().end()) {
    const std::vector<std::string_view> known(probe_names().begin(), probe_names().end());
    fail(ErrorKind::bad_input, "HDL-MEM-09", "memory: no quantity '{}'{}; expected one of: {}", name,
         did_you_mean(name, known), fmt::join(known, ", "));
  }
  config::MemorySpec spec;
  spec.standard = standard;
  spec.channels = 1;
  spec.mapping = kind->walk == Walk::bursts ? "rorabacochbg" : "rorabgbacoch";
  spec.refresh = kind->refresh ? "all_bank" : "none";
  spec.page_policy = kind->walk == Walk::random ? "closed" : "open";
  const DramSetup setup = make_dram_setup(spec);
  const config::DramSpec& dram = setup.dram;
  const Constraints c(dram);
  // A latency is that of a channel at rest: whatever the request before began is over.
  Injection injection;
  if (kind->latency) injection.rate = 1.0 / static_cast<double>(2 * (c.rc + c.read_latency));
  const std::int64_t count = kind->latency ? 2'000 : kind->refresh ? 400'000 : 50'000;
  const DriveResult r = drive(spec, setup, walk(kind->walk, count, spec, setup), setup.dram.burst_bytes(), injection);

  Probe p;
  p.latency = kind->latency;
  p.clock_ns = static_cast<double>(setup.clock_fs) * 1e-6;
  const double clocks = kind->clocks(c, static_cast<double>(dram.organization.ranks));
  if (kind->latency) {
    p.value = r.latency_median_ns - static_cast<double>(controller_clocks) * p.clock_ns;
    p.bound = clocks * p.clock_ns;
    return p;
  }
  p.value = r.bytes_per_second * 1e-9;
  p.bound = static_cast<double>(dram.burst_bytes()) / (clocks * p.clock_ns);
  if (kind->refresh) p.bound *= 1 - static_cast<double>(dram.timing.rfc_ab) / static_cast<double>(dram.timing.refi);
  return p;
}

}  // namespace heddle::memory
