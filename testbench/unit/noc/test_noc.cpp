// SPDX-License-Identifier: Apache-2.0
// The contract of i_noc_model.hpp: times worked out by hand on small networks, and runs against single packets.
#include <map>
#include <random>

#include "isa/base/error.hpp"
#include "sim/noc/i_noc_model.hpp"
#include "sim/noc/link_schedule.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::noc;

namespace {

constexpr TimeFs cycle(1000);

config::NocSpec spec(const std::string& topology) {
  config::NocSpec s;
  s.topology = topology;
  s.width_bytes = 64;
  s.hop_cycles = 4;
  s.header_bytes = 16;
  return s;
}

std::map<std::string, LinkStats> by_name(const INocModel& noc) {
  std::map<std::string, LinkStats> map;
  for (const LinkStats& l : noc.links()) map[l.name] = l;
  return map;
}

}  // namespace

TEST_CASE("Crossbar: one router, the header travels with the bytes") {
  const auto noc = make_noc_model(spec("crossbar"), 2, 2, cycle);
  CHECK(noc->core(1) == NodeId(1));
  CHECK(noc->memory(0) == NodeId(2));
  // 512 + 16 bytes take nine cycles of 64 bytes, one router takes four.
  CHECK(noc->deliver(noc->core(0), noc->memory(0), 512, TimeFs(100'000)) == TimeFs(113'000));
  CHECK(noc->idle_latency(noc->core(0), noc->memory(1), 512) == TimeFs(13'000));
  CHECK(noc->idle_latency(noc->core(0), noc->memory(1), 0) == TimeFs(5'000));
  CHECK(noc->idle_latency(noc->core(0), noc->memory(1), 48) == TimeFs(5'000));
  CHECK(noc->idle_latency(noc->core(0), noc->memory(1), 49) == TimeFs(6'000));
}

TEST_CASE("Crossbar: packets wait for the sender's and for the receiver's port, for no other") {
  const auto noc = make_noc_model(spec("crossbar"), 2, 2, cycle);
  const TimeFs t0(0);
  CHECK(noc->deliver(noc->core(0), noc->memory(0), 512, t0) == TimeFs(13'000));
  CHECK(noc->deliver(noc->core(0), noc->memory(1), 512, t0) == TimeFs(22'000));  // after the first has left the sender
  CHECK(noc->deliver(noc->core(1), noc->memory(0), 512, t0) == TimeFs(22'000));  // after the first has reached memory0
  CHECK(noc->deliver(noc->memory(0), noc->core(0), 512, t0) == TimeFs(13'000));  // the other direction is free
  // core1's port was free from 0 to 4 and from 13 on; memory1's port takes core0's second packet from 13 to 22.
  CHECK(noc->deliver(noc->core(1), noc->memory(1), 512, t0) == TimeFs(31'000));
  const auto links = by_name(*noc);
  CHECK(links.at("core0 out").packets == 2);
  CHECK(links.at("core0 out").bytes == 2 * 528);
  CHECK(links.at("core0 out").busy == cycle * 18);
  CHECK(links.at("memory0 in").packets == 2);
  CHECK(links.at("memory0 out").packets == 1);
  CHECK(links.at("core1 in").packets == 0);
}

TEST_CASE("An earlier departure after a later one is fitted into the gap before it, if it has room") {
  const auto noc = make_noc_model(spec("crossbar"), 1, 1, cycle);
  const auto send = [&](std::int64_t bytes, std::int64_t depart) {
    return noc->deliver(noc->core(0), noc->memory(0), bytes, TimeFs(depart)).value();
  };
  CHECK(send(48, 50'000) == 55'000);            // holds its links for a cycle, from 50 and from 54
  CHECK(send(48, 10'000) == 15'000);            // before it
  CHECK(send(48, 10'000) == 16'000);            // the next free cycle
  CHECK(send(48 + 64 * 37, 10'000) == 54'000);  // 38 cycles: exactly what is left, 12 to 50 on the first link
  CHECK(send(48, 10'000) == 56'000);            // nothing is, before 51
  CHECK(send(48, 9'000) == 14'000);             // but this cycle
}

TEST_CASE("A link takes each moment once, in any order of calls, and remembers only the latest gaps") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 100; ++round) {
    LinkSchedule link;
    std::vector<std::pair<std::int64_t, std::int64_t>> taken;
    std::int64_t now = 0;
    for (int i = 0; i < 300; ++i) {
      now += static_cast<std::int64_t>(random() % 30) - 10;
      const std::int64_t from = std::max<std::int64_t>(now, 0), length = 1 + static_cast<std::int64_t>(random() % 12);
      const std::int64_t begin = link.reserve(TimeFs(from), TimeFs(length)).value();
      REQUIRE(begin >= from);
      for (const auto& [other, end] : taken) REQUIRE((begin >= end || begin + length <= other));
      taken.emplace_back(begin, begin + length);
    }
  }
  // Nine gaps of one: the first of them is forgotten.
  LinkSchedule link;
  for (std::int64_t i = 0; i < 9; ++i) link.reserve(TimeFs(2 * i + 1), TimeFs(1));
  CHECK(link.reserve(TimeFs(0), TimeFs(1)) == TimeFs(2));
}

TEST_CASE("Mesh: a router for each core, memory ports at the left and right edges") {
  config::NocSpec s = spec("mesh2d");
  const auto noc = make_noc_model(s, 6, 4, cycle);  // squarest: 3 columns, 2 rows
  const auto routers = [&](NodeId a, NodeId b) { return (noc->idle_latency(a, b, 48).value() - 1000) / 4000; };
  CHECK(routers(noc->core(0), noc->core(0)) == 1);
  CHECK(routers(noc->core(0), noc->core(2)) == 3);
  CHECK(routers(noc->core(0), noc->core(5)) == 4);
  CHECK(routers(noc->core(5), noc->core(0)) == 4);
  CHECK(routers(noc->core(0), noc->memory(0)) == 1);
  CHECK(routers(noc->core(2), noc->memory(1)) == 1);
  CHECK(routers(noc->core(3), noc->memory(2)) == 1);
  CHECK(routers(noc->core(5), noc->memory(3)) == 1);
  CHECK(routers(noc->memory(0), noc->memory(3)) == 4);
  s.columns = 6;
  const auto row = make_noc_model(s, 6, 1, cycle);
  CHECK(row->idle_latency(row->core(0), row->core(5), 48) == TimeFs(25'000));
}

TEST_CASE("Mesh: XY routes meet where they share a link, and only there") {
  const auto noc = make_noc_model(spec("mesh2d"), 9, 0, cycle);  // 3 x 3
  const TimeFs t0(0);
  // 0 -> 2 goes along the first row; 1 -> 8 joins it from router 1 to 2, then turns south.
  CHECK(noc->deliver(noc->core(0), noc->core(2), 512, t0) == TimeFs(12'000 + 9'000));
  // Link router1 east is held from 8 to 17: begins there at 17, then three more routers.
  CHECK(noc->deliver(noc->core(1), noc->core(8), 512, t0) == TimeFs(17'000 + 12'000 + 9'000));
  // 6 -> 8 along the last row shares only core 8's port, taken from 29 to 38: at 12 it is still free, at 22 it is not.
  CHECK(noc->deliver(noc->core(6), noc->core(8), 512, t0) == TimeFs(12'000 + 9'000));
  CHECK(noc->deliver(noc->core(6), noc->core(8), 512, TimeFs(10'000)) == TimeFs(38'000 + 9'000));
  CHECK(noc->deliver(noc->core(3), noc->core(5), 512, t0) == TimeFs(12'000 + 9'000));  // the middle row is free
  const auto links = by_name(*noc);
  CHECK(links.at("router1 east").packets == 2);
  CHECK(links.at("router2 south").packets == 1);
  CHECK(links.at("router5 south").packets == 1);
  CHECK(links.at("router0 south").packets == 0);
}

TEST_CASE("A run of packets is its packets one by one, on an idle route and behind a backlog") {
  std::mt19937_64 random(11);
  for (const char* topology : {"crossbar", "mesh2d"})
    for (int round = 0; round < 2000; ++round) {
      const int cores = 1 + static_cast<int>(random() % 9);
      const int ports = static_cast<int>(random() % 5);
      config::NocSpec s = spec(topology);
      s.width_bytes = static_cast<std::int64_t>(1 + random() % 100);
      s.hop_cycles = static_cast<std::int64_t>(random() % 5);
      s.header_bytes = static_cast<std::int64_t>(random() % 20);
      const auto batched = make_noc_model(s, cores, ports, cycle);
      const auto single = make_noc_model(s, cores, ports, cycle);
      const NodeId from(static_cast<std::uint32_t>(random() % static_cast<std::uint64_t>(cores + ports)));
      const NodeId to(static_cast<std::uint32_t>(random() % static_cast<std::uint64_t>(cores + ports)));
      const auto bytes = static_cast<std::int64_t>(random() % 700);
      const auto count = static_cast<std::int64_t>(1 + random() % 20);
      const TimeFs spacing(random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 30'000));
      if (random() % 2 == 0)  // a packet that keeps the route until the run has long departed
        for (const auto& noc : {batched.get(), single.get()}) noc->deliver(from, to, 20 * 700 * 100, TimeFs(0));
      const TimeFs depart(static_cast<std::int64_t>(random() % 40'000));
      const RunArrival run = batched->deliver_run(from, to, bytes, count, depart, spacing);
      for (std::int64_t p = 0; p < count; ++p)
        REQUIRE(run.at(p) == single->deliver(from, to, bytes, depart + spacing * p));
      REQUIRE(batched->links().size() == single->links().size());
      for (std::size_t l = 0; l < batched->links().size(); ++l) {
        REQUIRE(batched->links()[l].packets == single->links()[l].packets);
        REQUIRE(batched->links()[l].bytes == single->links()[l].bytes);
        REQUIRE(batched->links()[l].busy == single->links()[l].busy);
      }
    }
}

TEST_CASE("The gaps of a slow sender's run are open to others") {
  const auto noc = make_noc_model(spec("crossbar"), 2, 1, cycle);
  // 16 packets of a cycle, 64 cycles apart: they need 16 cycles of the port, not 961.
  noc->deliver_run(noc->core(0), noc->memory(0), 48, 16, TimeFs(0), cycle * 64);
  CHECK(noc->deliver(noc->core(1), noc->memory(0), 48, TimeFs(0)) == TimeFs(20'000 + 1'000));
  CHECK(noc->deliver(noc->core(1), noc->memory(0), 48, TimeFs(100'000)) == TimeFs(105'000));
}

TEST_CASE("A network that cannot be is refused") {
  config::NocSpec s = spec("torus");
  REQUIRE_THROWS_WITH(make_noc_model(s, 1, 1, cycle), contains("HDL-NOC-01") && contains("crossbar, instant, mesh2d"));
  s = spec("crossbar");
  REQUIRE_THROWS_WITH(make_noc_model(s, 0, 1, cycle), contains("HDL-NOC-02"));
  REQUIRE_THROWS_WITH(make_noc_model(s, 1, -1, cycle), contains("HDL-NOC-02"));
  REQUIRE_THROWS_WITH(make_noc_model(s, 1, 1, TimeFs(0)), contains("HDL-NOC-02"));
  s.width_bytes = 0;
  REQUIRE_THROWS_WITH(make_noc_model(s, 1, 1, cycle), contains("width is 0"));
  const auto noc = make_noc_model(spec("crossbar"), 1, 1, cycle);
  REQUIRE_THROWS_WITH(noc->deliver(noc->core(0), noc->memory(1), 64, TimeFs(0)), contains("HDL-NOC-03"));
  REQUIRE_THROWS_WITH(noc->deliver(noc->core(0), noc->core(0), -1, TimeFs(0)), contains("HDL-NOC-04"));
  REQUIRE_THROWS_WITH(noc->deliver_run(noc->core(0), noc->core(0), 1, 0, TimeFs(0), TimeFs(0)), contains("HDL-NOC-05"));
}
