// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/address_map.hpp"

#include <map>
#include <set>
#include <tuple>

#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::memory;

namespace {

DramSetup hbm2(int channels = 8) {
  config::MemorySpec spec;
  spec.standard = "HBM2";
  spec.channels = channels;
  return make_dram_setup(spec);
}

std::tuple<int, int, int> at(const AddressMap& map, std::uint64_t address) {
  const DramAddress a = map.decode(address >> map.burst_shift());
  return {a.channel, a.bank, a.row};
}

}  // namespace

TEST_CASE("rorabgbachco deals 2 KiB rows to channels, then banks, then bank groups") {
  const AddressMap map("rorabgbachco", 0, hbm2());
  CHECK(at(map, 0) == std::tuple(0, 0, 0));
  CHECK(at(map, 2047) == std::tuple(0, 0, 0));
  CHECK(at(map, 2048) == std::tuple(1, 0, 0));
  CHECK(at(map, 8 * 2048) == std::tuple(0, 1, 0));
  CHECK(at(map, 4 * 8 * 2048) == std::tuple(0, 4, 0));  // second bank group: flat bank 4
  CHECK(at(map, 16 * 8 * 2048) == std::tuple(0, 0, 1));
  CHECK(at(map, (std::uint64_t{1} << 33) - 1) == std::tuple(7, 15, 32767));
  CHECK(map.contiguous(0) == 32);
  CHECK(map.contiguous(31) == 1);
}

TEST_CASE("The order of the fields is the order of the bits") {
  CHECK(at(AddressMap("rocorabgbach", 0, hbm2()), 64) == std::tuple(1, 0, 0));
  CHECK(at(AddressMap("rocorabgbach", 0, hbm2()), 64 * 8) == std::tuple(0, 1, 0));
  CHECK(at(AddressMap("rorabacochbg", 0, hbm2()), 64) == std::tuple(0, 4, 0));
  CHECK(at(AddressMap("rorabacochbg", 0, hbm2()), 64 * 4) == std::tuple(1, 0, 0));
  CHECK(AddressMap("rocorabgbach", 0, hbm2()).contiguous(0) == 1);
}

TEST_CASE("A field in parts: three column bits under half of the bank groups") {
  const AddressMap map("rorababg1cochbg1co3", 0, hbm2());
  CHECK(map.contiguous(0) == 8);
  CHECK(at(map, 512) == std::tuple(0, 4, 0));
  CHECK(at(map, 1024) == std::tuple(1, 0, 0));
  CHECK(at(map, 8 * 1024) == std::tuple(0, 0, 0));      // two column bits over the channel
  CHECK(at(map, 4 * 8 * 1024) == std::tuple(0, 8, 0));  // then the other half of the groups
  CHECK(at(map, 8 * 8 * 1024) == std::tuple(0, 1, 0));
}

TEST_CASE("Every burst of a mapping has a place of its own, each row exactly its page") {
  for (const char* mapping : {"rorabgbachco", "rochrababgco", "rorababg1cochbg1co3", "rocorabgbach"})
    for (int channels : {1, 6, 8})
      for (std::int64_t interleave : {0, 256}) {
        const AddressMap map(mapping, interleave, hbm2(channels));
        std::map<std::tuple<int, int, int>, int> bursts;
        const std::uint64_t total = static_cast<std::uint64_t>(channels) * 16 * 32 * 3;  // three rows of every bank
        for (std::uint64_t b = 0; b < total; ++b) ++bursts[at(map, b * 64)];
        INFO(mapping << " " << channels << " " << interleave);
        CHECK(bursts.size() == total / 32);
        for (const auto& [place, n] : bursts) REQUIRE(n == 32);
      }
}

TEST_CASE("An interleave overrides the mapping's channel bits") {
  const AddressMap map("rorabgbachco", 256, hbm2(6));
  CHECK(at(map, 255) == std::tuple(0, 0, 0));
  CHECK(at(map, 256) == std::tuple(1, 0, 0));
  CHECK(at(map, 6 * 256) == std::tuple(0, 0, 0));
  CHECK(at(map, 6 * 2048) == std::tuple(0, 1, 0));
  CHECK(map.contiguous(3) == 1);
}

TEST_CASE("A contiguous run lies in one row") {
  for (const char* mapping : {"rorabgbachco", "rorababg1cochbg1co3", "rorabacochbg"}) {
    const AddressMap map(mapping, 0, hbm2());
    for (std::uint64_t b = 0; b < 5000; ++b) {
      const auto first = at(map, b * 64);
      for (std::uint64_t i = 1; i < map.contiguous(b); ++i) REQUIRE(at(map, (b + i) * 64) == first);
    }
  }
}

TEST_CASE("A mapping that cannot be is refused by name") {
  const auto refuse = [](const char* mapping) { return AddressMap(mapping, 0, hbm2()); };
  for (const char* bad :
       {"", "rorabgbach", "rorabgbachcoco", "rorabgbachxx", "rorabgbachc", "corabgbachro", "rorabg3bachco",
        "rorabgbachco9", "rorabgbachco2", "rorabgba3chco", "rorabgbach3co", "rorabgbachco99999999999"}) {
    INFO(bad);
    REQUIRE_THROWS_WITH(refuse(bad), contains("HDL-MEM-03"));
  }
  REQUIRE_THROWS_WITH(AddressMap("rorabgbachco", 100, hbm2()), contains("HDL-MEM-03"));
  REQUIRE_THROWS_WITH(AddressMap("rorabgbachco", 32, hbm2()), contains("HDL-MEM-03"));
}

TEST_CASE("With hash, lines a power of two apart meet every channel, and no two addresses meet in one place") {
  for (const std::int64_t interleave : {0, 256}) {
    const AddressMap plain("rorabgbachco", interleave, hbm2()), hashed("rorabgbachco", interleave, hbm2(), true);
    for (const std::uint64_t stride : {16 * 1024, 64 * 1024, 256 * 1024, 1024 * 1024}) {
      std::set<int> without, with;
      for (std::uint64_t i = 0; i < 64; ++i) {
        without.insert(std::get<0>(at(plain, i * stride)));
        with.insert(std::get<0>(at(hashed, i * stride)));
      }
      CHECK(without.size() == 1);
      CHECK(with.size() == 8);
    }
    // Only the channel changes, and among addresses that differ in the channel alone it stays one to one.
    std::set<std::tuple<int, int, int>> places;
    const std::uint64_t piece = interleave == 0 ? 2048 : 256;
    for (std::uint64_t i = 0; i < 4096; ++i) {
      const auto p = at(plain, i * piece), h = at(hashed, i * piece);
      CHECK(std::get<1>(p) == std::get<1>(h));
      CHECK(std::get<2>(p) == std::get<2>(h));
      if (interleave == 0) CHECK(places.insert(h).second);
    }
  }
}

TEST_CASE("Hash keeps channel counts that are no power of two within bounds and one to one") {
  const AddressMap map("rorabgbachco", 0, hbm2(6), true);
  std::set<std::tuple<int, int, int>> places;
  for (std::uint64_t i = 0; i < 6 * 512; ++i) {
    const auto place = at(map, i * 2048);
    CHECK(std::get<0>(place) < 6);
    CHECK(places.insert(place).second);
  }
}
