// SPDX-License-Identifier: Apache-2.0
#include "sim/noc/pattern.hpp"

#include <algorithm>
#include <cmath>

#include "isa/base/error.hpp"
#include "isa/base/nearest.hpp"

namespace heddle::noc {
namespace {

int side_of(int cores) {
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(cores))));
  return side * side == cores ? side : 0;
}

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int target_of(const std::string& pattern, int core, int cores, std::uint64_t& random) {
  if (pattern == "neighbour") return (core + 1) % cores;
  if (pattern == "uniform") return static_cast<int>(next_random(random) % static_cast<std::uint64_t>(cores));
  if (pattern == "hotspot") return cores / 2;
  const int side = side_of(cores);
  return core % side * side + core / side;
}

}  // namespace

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names{"neighbour", "uniform", "transpose", "hotspot"};
  return names;
}

PatternResult run_pattern(const config::NocSpec& spec, int cores, TimeFs period, const PatternLoad& load) {
  const auto need = [](bool ok, const char* what, const auto& found, const std::string& expected) {
    if (!ok) fail(ErrorKind::bad_input, "HDL-NOC-06", "network traffic: {} is {}, expected {}", what, found, expected);
  };
  const std::vector<std::string>& names = pattern_names();
  need(std::find(names.begin(), names.end(), load.pattern) != names.end(), "pattern", load.pattern,
       fmt::format("one of: {}", fmt::join(names, ", ")));
  need(load.packets >= 1 && load.packets <= 10'000'000, "number of packets", load.packets, "1 to 10000000");
  need(load.bytes >= 0 && load.bytes <= 1 << 20, "bytes of a packet", load.bytes, "0 to 1048576");
  need(load.rate == 0 || (load.rate >= 1e-6 && load.rate <= 1), "rate", load.rate,
       "0 (back to back), or 0.000001 to 1 packets a cycle");
  need(load.pattern != "transpose" || side_of(cores) > 0, "number of cores", cores, "a square, for transpose");
  const auto noc = make_noc_model(spec, cores, 1, period);

  // Back to back: a packet holds the sender's link this long.
  const double hold = std::max(
      1.0, std::ceil(static_cast<double>(load.bytes + spec.header_bytes) / static_cast<double>(spec.width_bytes)));
  const double spacing = load.rate > 0 ? 1 / load.rate : hold;
  std::uint64_t random = load.seed;
  std::vector<double> latencies;
  double idle = 0;
  TimeFs last{};
  const auto in_cycles = [&](TimeFs t) { return static_cast<double>(t.value()) / static_cast<double>(period.value()); };
  for (std::int64_t i = 0; i < load.packets; ++i)
    for (int c = 0; c < cores; ++c) {
      const TimeFs offered(std::llround(static_cast<double>(i) * spacing * static_cast<double>(period.value())));
      const NodeId from = noc->core(c), to = noc->core(target_of(load.pattern, c, cores, random));
      const TimeFs there = noc->deliver(from, to, load.bytes, offered);
      last = std::max(last, there);
      latencies.push_back(in_cycles(there - offered));
      idle += in_cycles(noc->idle_latency(from, to, load.bytes));
    }

  PatternResult r;
  r.cycles = in_cycles(last);
  const auto count = static_cast<double>(latencies.size());
  r.bytes_per_cycle = static_cast<double>(load.bytes) * count / r.cycles;
  for (const double l : latencies) r.latency_average += l / count;
  const auto place = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() * 99 / 100);
  std::nth_element(latencies.begin(), place, latencies.end());
  r.latency_p99 = *place;
  r.idle_latency = idle / count;
  for (const LinkStats& l : noc->links())
    if (in_cycles(l.busy) > r.bound_cycles) {
      r.bound_cycles = in_cycles(l.busy);
      r.busiest = l.name;
    }
  return r;
}

}  // namespace heddle::noc
