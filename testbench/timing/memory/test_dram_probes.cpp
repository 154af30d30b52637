// SPDX-License-Identifier: Apache-2.0
// What a preset's timings allow in closed form, against the model: streams and a single bank within 3 %, random bursts
// between 80 % of their bound and the bound, latencies within a clock. And the names by which tables call a memory.
#include <cmath>

#include "isa/base/error.hpp"
#include "sim/memory/probe.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::memory;

TEST_CASE("Every preset reaches the closed forms of its timings") {
  for (const std::string& preset : config::dram_presets())
    for (const std::string& name : probe_names()) {
      const Probe p = probe(preset, name);
      INFO(preset << " " << name << ": " << p.value << ", in closed form " << p.bound);
      if (p.latency)
        CHECK(std::fabs(p.value - p.bound) <= p.clock_ns);
      else if (name.starts_with("random"))
        CHECK((p.value <= p.bound && p.value >= 0.8 * p.bound));
      else
        CHECK(std::fabs(p.value / p.bound - 1) <= 0.03);
    }
}

// 32 bytes each 2.5 ns with a group change and 5 ns without; a row of one bank each 42.5 ns; 10 + 2 clocks of 1.25 ns.
TEST_CASE("The closed forms are those worked out by hand") {
  const auto bound = [](const char* name) { return probe("HBM2_1600_8Gb_pc64", name).bound; };
  CHECK(bound("stream_bg_interleaved_norefresh_GBs") == Approx(12.8));
  CHECK(bound("stream_bg_interleaved_refresh_GBs") == Approx(12.8 * (1 - 350.0 / 3900)));
  CHECK(bound("stream_same_bankgroup_GBs") == Approx(6.4));
  CHECK(bound("random_closedrow_bound_GBs") == Approx(6.4));
  CHECK(bound("single_bank_conflict_GBs") == Approx(32 / 42.5));
  CHECK(bound("lat_row_hit_ns") == Approx(15.0));
  CHECK(bound("lat_row_conflict_ns") == Approx(40.0));
}

TEST_CASE("A reference's parameter file names a memory") {
  CHECK(preset_of_device("DRAMsim3_HBM2_8Gb_x128") == "HBM2");
  CHECK(preset_of_device("DRAMSys_HBM2") == "DRAMSys_HBM2");
  const NamedMemory m = memory_of_ini("HBM2_8Gb_x128__norefresh__closepage__4ch__tFAW9.ini", "rorabgbachco");
  CHECK(m.setup.refresh == Refresh::none);
  CHECK(m.setup.closed_page);
  CHECK(m.setup.channels == 4);
  CHECK(m.setup.dram.timing.faw == 9);
  CHECK(memory_of_ini("DDR4_8Gb_x8_3200.ini", "rochrababgco").setup.channels == 1);
  CHECK(memory_of_ini("HBM2_8Gb_x128__rocorabgbach.ini", "rocorabgbach").spec.mapping == "rocorabgbach");
  CHECK_THROWS_AS(memory_of_ini("HBM9.ini", "rorabgbachco"), Error);
  CHECK_THROWS_AS(memory_of_ini("HBM2_8Gb_x128__warp.ini", "rorabgbachco"), Error);
  CHECK_THROWS_AS(probe("HBM2", "stream"), Error);
}

TEST_CASE("A pattern is named as tables name it, or with a unit") {
  CHECK(parse_pattern("rand").size == 0);
  CHECK(parse_pattern("rand4096").size == 4096);
  CHECK(parse_pattern("rand:4KiB").size == 4096);
  CHECK(parse_pattern("stride128").kind == Pattern::Kind::stride);
  CHECK(parse_pattern("copyB").copy);
  CHECK(parse_pattern("copyB").other_group);
  CHECK_FALSE(parse_pattern("2stream").copy);
  for (const char* bad : {"", "sequential", "rand:", "rand0", "stride", "stride:-4", "randx", "2streamC"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_pattern(bad), Error);
  }
}

TEST_CASE("The other stream lies in the same bank, or in the next bank group") {
  for (const char* mapping : {"rorabgbachco", "rorabgbacoch", "rorabacochbg", "rocorabgbach"}) {
    config::MemorySpec spec;
    spec.standard = "HBM2";
    spec.mapping = mapping;
    const DramSetup setup = make_dram_setup(spec);
    const AddressMap map(mapping, 0, setup);
    const auto place = [&](const char* pattern, std::size_t i) {
      return map.decode(accesses({parse_pattern(pattern), 2}, setup, map)[i].address >> map.burst_shift());
    };
    INFO(mapping);
    CHECK(place("2stream", 1).bank == place("2stream", 0).bank);
    CHECK(place("2stream", 1).channel == place("2stream", 0).channel);
    CHECK(place("2stream", 1).row != place("2stream", 0).row);
    CHECK(place("copyB", 1).bank == place("copyB", 0).bank + 4);
    CHECK(place("copyB", 1).channel == place("copyB", 0).channel);
  }
}

TEST_CASE("A stream or an injection out of range is refused") {
  config::MemorySpec spec;
  spec.standard = "HBM2";
  CHECK_THROWS_AS(drive(spec, {parse_pattern("seq"), 0}, {}), Error);
  CHECK_THROWS_AS(drive(spec, {parse_pattern("seq"), 10, 0}, {}), Error);
  CHECK_THROWS_AS(drive(spec, {parse_pattern("seq"), 10, 64, 1.5}, {}), Error);
  CHECK_THROWS_AS(drive(spec, {parse_pattern("rand:96"), 10}, {}), Error);
  CHECK_THROWS_AS(drive(spec, {parse_pattern("seq"), 10}, {-1}), Error);
  CHECK_THROWS_AS(drive(spec, {parse_pattern("seq"), 10}, {0, -0.5}), Error);
}
