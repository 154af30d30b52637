// SPDX-License-Identifier: Apache-2.0
// Each constraint by itself: the clock before is refused, the clock itself is not. All timings differ, so that no one
// can stand in for another.
#include "sim/memory/channel_timing.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::memory;

namespace {

config::DramSpec spec(bool two_buses = true) {
  config::DramSpec s;
  s.organization = {1, 64, 4,    2,        2,
                    4, 2,  1024, two_buses};  // 2 ranks of 4 groups of 2 banks, 32-byte bursts in 2 clocks
  config::DramTiming& t = s.timing;
  t.cl = 23;
  t.cwl = 9;
  t.rcd_rd = 21;
  t.rcd_wr = 17;
  t.rp = 19;
  t.ras = 47;
  t.rrd_s = 5;
  t.rrd_l = 7;
  t.faw = 37;
  t.ccd_s = 3;
  t.ccd_l = 11;
  t.wtr_s = 6;
  t.wtr_l = 12;
  t.rtp = 13;
  t.wr = 29;
  t.rtrs = 4;
  t.rfc_ab = 300;
  t.rfc_pb = 150;
  t.refi = 4000;
  t.rrefd = 8;
  return s;
}

ChannelTiming timing(bool two_buses = true) {
  const config::DramSpec s = spec(two_buses);
  return {Constraints(s), s.organization};
}

constexpr int same_bank = 0, same_group = 1, other_group = 2, other_rank = 8;

}  // namespace

TEST_CASE("An activate opens its bank for columns after tRCD and for precharge after tRAS") {
  ChannelTiming t = timing();
  t.activate(same_bank, 5, 1000);
  CHECK(t.open(same_bank));
  CHECK(t.row(same_bank) == 5);
  CHECK(t.read_at(same_bank) == 1021);
  CHECK(t.write_at(same_bank) == 1017);
  CHECK(t.precharge_at(same_bank) == 1047);
}

TEST_CASE("Activates keep tRRD, tRC and tFAW") {
  ChannelTiming t = timing();
  t.activate(same_bank, 5, 1000);
  CHECK(t.activate_at(same_group) == 1007);
  CHECK(t.activate_at(other_group) == 1005);
  CHECK(t.activate_at(other_rank) <= 1001);
  CHECK(t.activate_at(same_bank) == 1066);
  t.activate(2, 5, 1005);
  t.activate(4, 5, 1010);
  CHECK(t.activate_at(6) == 1015);
  t.activate(6, 5, 1015);
  CHECK(t.activate_at(3) == 1037);  // four since 1000
  CHECK(t.activate_at(other_rank) <= 1016);
}

TEST_CASE("A precharged bank opens again after tRP, and not before tRC") {
  ChannelTiming t = timing();
  t.activate(same_bank, 5, 1000);
  t.precharge(same_bank, 1060);
  CHECK_FALSE(t.open(same_bank));
  CHECK(t.activate_at(same_bank) == 1079);
}

TEST_CASE("A read holds back columns, writes and the precharge") {
  ChannelTiming t = timing();
  for (int b : {same_bank, same_group, other_group, other_rank}) t.activate(b, 5, 0);
  CHECK(t.read(same_bank, 1000, 1, false) == 1000);
  CHECK(t.read_at(same_bank) == 1011);
  CHECK(t.read_at(same_group) == 1011);
  CHECK(t.read_at(other_group) == 1003);
  CHECK(t.read_at(other_rank) == 1006);  // data bus: burst 2 and a bubble of 4
  CHECK(t.write_at(same_bank) == 1000 + 23 + 2 + 4 - 9);
  CHECK(t.write_at(other_group) == 1020);
  CHECK(t.write_at(other_rank) == 1020);
  CHECK(t.precharge_at(same_bank) == 1013);
  CHECK(t.precharge_at(same_group) == 47);
}

TEST_CASE("A write holds back columns, reads and the precharge") {
  ChannelTiming t = timing();
  for (int b : {same_bank, same_group, other_group, other_rank}) t.activate(b, 5, 0);
  t.write(same_bank, 1000, 1, false);
  CHECK(t.write_at(same_bank) == 1011);
  CHECK(t.write_at(other_group) == 1003);
  CHECK(t.write_at(other_rank) == 1006);
  CHECK(t.read_at(same_bank) == 1000 + 9 + 2 + 12);
  CHECK(t.read_at(same_group) == 1023);
  CHECK(t.read_at(other_group) == 1000 + 9 + 2 + 6);
  CHECK(t.read_at(other_rank) == 1003);  // 9 + 2 + 4 - 23 is past already: one column slot
  CHECK(t.precharge_at(same_bank) == 1000 + 9 + 2 + 29);
}

TEST_CASE("A column command with precharge closes the bank on its own") {
  ChannelTiming t = timing();
  t.activate(same_bank, 5, 1000);
  SECTION("late read: tRTP decides") {
    t.read(same_bank, 1040, 1, true);
    CHECK(t.activate_at(same_bank) == 1040 + 13 + 19);
  }
  SECTION("early read: tRAS decides") {
    t.read(same_bank, 1021, 1, true);
    CHECK(t.activate_at(same_bank) == 1066);
  }
  SECTION("write: tWR decides") {
    t.write(same_bank, 1020, 1, true);
    CHECK(t.activate_at(same_bank) == 1020 + 9 + 2 + 29 + 19);
  }
  CHECK_FALSE(t.open(same_bank));
}

TEST_CASE("A run of hits counts from its last burst, and another group's run fits between its bursts") {
  ChannelTiming t = timing();
  for (int b : {same_bank, same_group, other_group, 4}) t.activate(b, 5, 0);
  CHECK(t.read(same_bank, 1000, 4, false) == 1033);
  CHECK(t.read_at(same_group) == 1044);
  CHECK(t.write_at(other_group) == 1033 + 20);
  CHECK(t.precharge_at(same_bank) == 1046);
  CHECK(t.read_at(other_group) == 1003);
  CHECK(t.read(other_group, 1005, 4, false) == 1038);
  CHECK(t.read_at(4) >= 1036);  // two runs at a time
  CHECK((t.read_at(4) - 1005) % 11 >= 3);
}

TEST_CASE("On one command bus a row command avoids the bursts of a run") {
  ChannelTiming t = timing(false);
  for (int b : {same_bank, other_group}) t.activate(b, 5, 0);
  t.activate(other_rank, 5, 983);
  t.read(same_bank, 1000, 4, false);
  CHECK(t.precharge_at(other_group) == 47);
  CHECK(t.precharge_at(other_rank) == 1030);
  t = timing(false);
  t.activate(same_bank, 5, 0);
  t.activate(other_rank, 5, 975);
  t.read(same_bank, 1000, 4, false);
  CHECK(t.precharge_at(other_rank) == 1023);  // 1022 is a burst's
}

TEST_CASE("Refresh waits for closed banks and holds activates back") {
  ChannelTiming t = timing();
  t.activate(same_bank, 5, 1000);
  t.precharge(same_bank, 1050);
  CHECK(t.refresh_all_at(0) == 1069);
  t.refresh_all(0, 1069);
  CHECK(t.activate_at(same_group) == 1369);
  CHECK(t.activate_at(other_rank) < 1069);
  t.refresh_bank(other_rank, 1100);
  CHECK(t.activate_at(other_rank) == 1250);
  CHECK(t.activate_at(other_rank + 1) == 1108);
  CHECK(t.refresh_bank_at(other_rank + 2) == 1108);
}
