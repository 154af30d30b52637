// SPDX-License-Identifier: Apache-2.0
// Traffic patterns whose throughput a pencil gives: what the busiest link must carry bounds the time from below, and
// the model has to come close to it, never under it.
#include <algorithm>
#include <random>

#include "sim/noc/i_noc_model.hpp"
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
