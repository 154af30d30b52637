// SPDX-License-Identifier: Apache-2.0
// Drawn delays and drawn orders: within their bounds, the same for the same seed, and never past what the program
// orders.
#include <algorithm>
#include <set>

#include "isa/base/error.hpp"
#include "sim/control/jitter.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/control/rig.hpp"

namespace heddle::control {
namespace {

using test::Rig;

TEST_CASE("a delay lies between none and the bound, and both are drawn") {
  for (const std::int64_t most : {std::int64_t{1}, std::int64_t{100}, std::int64_t{4096}}) {
    const Jitter jitter({7, most});
    std::int64_t least = most, longest = 0;
    for (std::uint64_t i = 0; i < 200'000; ++i) {
      const std::int64_t d = jitter.cycles(0, 3, i, Delay::start);
      least = std::min(least, d);
      longest = std::max(longest, d);
    }
    CHECK(least == 0);
    CHECK(longest <= most);
    CHECK(longest > most * 9 / 10);
  }
}

TEST_CASE("a delay is its own: of the seed, the launch, the core, the agent and the instruction") {
  const auto sum = [](const Jitter& j, std::uint32_t core, std::uint32_t agent, std::uint64_t from, Delay which) {
    std::int64_t total = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) total += j.cycles(core, agent, from + i, which);
    return total;
  };
  const Jitter one({1, 4096}), other({2, 4096});
  Jitter later({1, 4096});
  later.begin_launch();
  const std::int64_t here = sum(one, 0, 1, 0, Delay::start);
  CHECK(sum(Jitter({1, 4096}), 0, 1, 0, Delay::start) == here);
  std::set<std::int64_t> all{here};
  all.insert(sum(other, 0, 1, 0, Delay::start));
  all.insert(sum(later, 0, 1, 0, Delay::start));
  all.insert(sum(one, 1, 1, 0, Delay::start));
  all.insert(sum(one, 0, 2, 0, Delay::start));
  all.insert(sum(one, 0, 1, 1000, Delay::start));
  all.insert(sum(one, 0, 1, 0, Delay::completion));
  CHECK(all.size() == 7);
}

TEST_CASE("what may stand after --jitter") {
  CHECK(parse_jitter("12").seed == 12);
  CHECK(parse_jitter("12").most_cycles == JitterOptions::standard_most_cycles);
  CHECK(parse_jitter("18446744073709551615,1").most_cycles == 1);
  for (const char* bad : {"", "x", "-1", "1,", "1,0", "1,-5", "1,2,3", "1,1073741825", " 1", "1.5"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_jitter(bad), Error);
  }
  std::vector<std::string> overrides{"jitter=1", "cores=2", "jitter=3,4"};
  const auto taken = take_jitter(overrides);
  REQUIRE(taken);
  CHECK(taken->seed == 3);
  CHECK(overrides == std::vector<std::string>{"cores=2"});
  CHECK(!take_jitter(overrides));
}

// Two engines write one byte of SMEM each time; `order` says what stands between them.
std::vector<std::int32_t> written(const std::string& wait, const std::string& post, std::uint64_t seeds) {
  std::vector<std::int32_t> out;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Rig rig(R"(
        .view a, spm, int32, [1]
        .view b, hbm, int32, [1], base=0x1000
start:  view v1, a
        view v2, b
        dma.fill v1, int(1), on=0 )" +
            post + R"(
        dma.fill v1, int(2), on=1 )" +
            wait + R"(
        fence
        dma.copy v2, v1, on=0 post s7
        sem.wait s7, 1
        halt
)");
    rig.machine.shuffle(seed);
    rig.run();
    out.push_back(rig.get<std::int32_t>(0x1000, 1)[0]);
  }
  return out;
}

TEST_CASE("an order drawn by a seed is one that the semaphores allow, and all of those are drawn") {
  const std::vector<std::int32_t> ordered = written("wait s0", "post s0", 50);
  CHECK(std::count(ordered.begin(), ordered.end(), 2) == 50);
  const std::vector<std::int32_t> free = written("", "", 50);
  CHECK(std::count(free.begin(), free.end(), 1) > 5);
  CHECK(std::count(free.begin(), free.end(), 2) > 5);
  CHECK(free == written("", "", 50));
}

TEST_CASE("a drawn order ends where the fixed one does: with a deadlock, with a semaphore left") {
  Rig stuck("start: dma.sync wait s1, post s2\n vpu.sync wait s2, post s1\n halt\n");
  stuck.machine.shuffle(3);
  CHECK_THROWS_WITH(stuck.run(), contains("HDL-SEM-01"));
  Rig left("start: sem.post s4, 1\n halt\n", 2);
  left.machine.shuffle(3);
  CHECK_THROWS_WITH(left.run(), contains("HDL-SEM-02"));
}

}  // namespace
}  // namespace heddle::control
