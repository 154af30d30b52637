// SPDX-License-Identifier: Apache-2.0
// Traffic patterns whose throughput a pencil gives: what the busiest link must carry bounds the time from below, and
// the model has to come close to it, never under it.
#include <algorithm>
#include <random>

#include "isa/base/error.hpp"
#include "sim/noc/pattern.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::noc;

namespace {

constexpr int side = 4, cores = side * side;
constexpr TimeFs cycle(1000);
constexpr std::int64_t bytes = 256, hold = 4;  // cycles of a packet on a link of 64 bytes

config::NocSpec spec(const char* topology) {
  config::NocSpec s;
  s.topology = topology;
  s.width_bytes = 64;
  s.hop_cycles = 2;
  return s;
}

// Every core sends `packets` packets back to back, one round after the other; cycles until the last arrives.
template <class Target>
std::int64_t last_arrival(const char* topology, int packets, Target target, std::int64_t* busiest = nullptr) {
  const auto noc = make_noc_model(spec(topology), cores, 0, cycle);
  TimeFs last{};
  for (int i = 0; i < packets; ++i)
    for (int c = 0; c < cores; ++c) {
      const int to = target(c, i);
      if (to >= 0) last = std::max(last, noc->deliver(noc->core(c), noc->core(to), bytes, cycle * (hold * i)));
    }
  if (busiest != nullptr) {
    *busiest = 0;
    for (const LinkStats& l : noc->links()) *busiest = std::max(*busiest, l.busy / cycle);
  }
  return last / cycle;
}

}  // namespace

TEST_CASE("Neighbours: every core sends to the next one, nothing is shared") {
  const auto east = [](int c, int) { return c % side == side - 1 ? -1 : c + 1; };
  // Two routers, then the last packet's four cycles; it left after 99 others.
  CHECK(last_arrival("mesh2d", 100, east) == 99 * hold + 2 * 2 + hold);
  CHECK(last_arrival("crossbar", 100, [](int c, int) { return (c + 1) % cores; }) == 99 * hold + 2 + hold);
}

TEST_CASE("Hot spot: the receiver's port carries everything") {
  for (const char* topology : {"crossbar", "mesh2d"}) {
    std::int64_t busiest = 0;
    const std::int64_t last = last_arrival(
        topology, 50, [](int, int) { return 5; }, &busiest);
    const std::int64_t bound = 50 * cores * hold;
    CHECK(busiest == bound);
    CHECK(last >= bound);
    CHECK(last <= bound + 20);  // fill: a few routers
  }
}

TEST_CASE("Transpose: XY routing turns at the diagonal, whose links carry a row's worth") {
  const auto transpose = [](int c, int) { return c % side * side + c / side; };
  // (x, y) goes along row y to column y, then along that column to row x. The link into column y from the left carries
  // y packets of row y, the one from the right side - 1 - y: at most 3 of a row of 4.
  std::int64_t busiest = 0;
  const int packets = 200;
  const std::int64_t last = last_arrival("mesh2d", packets, transpose, &busiest);
  CHECK(busiest == 3 * packets * hold);
  CHECK(last >= busiest);
  CHECK(last <= busiest + busiest / 10);
  // The crossbar has no such link: a permutation goes at full rate.
  CHECK(last_arrival("crossbar", packets, transpose) == (packets - 1) * hold + 2 + hold);
}

TEST_CASE("Uniform: throughput between what the bisection allows and half of it") {
  std::mt19937_64 random(3);
  const int packets = 2000;
  const auto uniform = [&](int, int) { return static_cast<int>(random() % cores); };
  // Half of the packets cross the middle, over 4 links each way: 16 * packets / 4 (one direction) / 4 links.
  const std::int64_t bisection = std::int64_t{cores} * packets / 4 / side * hold;
  const std::int64_t injection = std::int64_t{packets} * hold;
  const std::int64_t bound = std::max(bisection, injection);
  const std::int64_t mesh = last_arrival("mesh2d", packets, uniform);
  CHECK(mesh >= bound);
  CHECK(mesh <= 2 * bound);
  const std::int64_t crossbar = last_arrival("crossbar", packets, uniform);
  CHECK(crossbar >= injection);
  CHECK(crossbar <= injection + injection / 2);
}

// The same patterns through run_pattern(), whose bound is the busiest link's load.
TEST_CASE("run_pattern: permutations cost a crossbar nothing, a hot spot the same on every network") {
  const auto run = [](const char* topology, const char* pattern) {
    PatternLoad load;
    load.pattern = pattern;
    load.packets = 200;
    load.bytes = bytes;
    return run_pattern(spec(topology), cores, cycle, load);
  };
  for (const char* pattern : {"neighbour", "transpose"}) {
    const PatternResult r = run("crossbar", pattern);
    CHECK(r.cycles == 200 * hold + 2);  // one router behind the last packet
    CHECK(r.latency_p99 == 2 + hold);
    CHECK(r.latency_average == Approx(r.idle_latency));
    CHECK(r.bound_cycles == 200 * hold);
  }
  for (const char* topology : {"crossbar", "mesh2d"}) {
    const PatternResult r = run(topology, "hotspot");
    CHECK(r.bound_cycles == 200 * cores * hold);
    CHECK(r.cycles >= r.bound_cycles);
    CHECK(r.cycles <= r.bound_cycles + 20);
    CHECK(r.busiest == "core8 in");
    CHECK(r.bytes_per_cycle <= 64);
  }
  const PatternResult mesh = run("mesh2d", "transpose");
  CHECK(mesh.bound_cycles == 3 * 200 * hold);
  CHECK(mesh.cycles <= 1.1 * mesh.bound_cycles);
}

TEST_CASE("run_pattern: at a low rate a packet meets nobody") {
  PatternLoad load;
  load.pattern = "neighbour";
  load.rate = 0.01;
  load.packets = 50;
  const PatternResult r = run_pattern(spec("mesh2d"), cores, cycle, load);
  CHECK(r.latency_average == Approx(r.idle_latency));
  CHECK(r.cycles >= 49 * 100);
}

TEST_CASE("run_pattern refuses what is no pattern") {
  const auto refused = [](const PatternLoad& load, int count = cores) {
    CHECK_THROWS_AS(run_pattern(spec("mesh2d"), count, cycle, load), Error);
  };
  PatternLoad load;
  load.pattern = "sideways";
  refused(load);
  load.pattern = "transpose";
  refused(load, 8);
  load.pattern = "uniform";
  load.rate = 2;
  refused(load);
  load.rate = 0;
  load.packets = 0;
  refused(load);
}
