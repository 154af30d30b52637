// SPDX-License-Identifier: Apache-2.0
// Which posts a wait is ordered after, on cases small enough to enumerate by hand. Agents 0 to 3 of one core.
#include "sim/check/semaphore_order.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle::check;

namespace {

struct Agents {
  Agents() {
    for (std::uint32_t a = 0; a < 4; ++a) clock[a] = Clock(0, 4);
  }
  Stamp event(std::uint32_t agent) {
    clock[agent].set_own(agent, ++now);
    return make_stamp(agent, now);
  }
  bool post(std::uint32_t agent, std::int64_t n) {
    last = event(agent);
    order.post(rules, clock[agent], last, n);
    return false;
  }
  auto take(std::uint32_t agent, std::int64_t n) {
    last = event(agent);
    return order.take(rules, clock[agent], last, n);
  }
  static bool covered(const void*, const Clock& c, Stamp s) { return s == 0 || c.covers(s); }

  std::array<Clock, 4> clock;
  Moment now = 0;
  Stamp last = 0;
  SemaphoreOrder order;
  SemaphoreOrder::Rules rules{nullptr, &covered, 4};
};

}  // namespace

TEST_CASE("of one poster's units the k-th taken is the k-th posted") {
  Agents a;
  CHECK_FALSE(a.post(0, 1));
  const Stamp first = a.last;
  CHECK_FALSE(a.post(0, 1));
  const Stamp second = a.last;
  CHECK_FALSE(a.take(1, 1));
  CHECK(a.clock[1].covers(first));
  CHECK_FALSE(a.clock[1].covers(second));  // although it was there
  CHECK_FALSE(a.take(1, 1));
  CHECK(a.clock[1].covers(second));
}

TEST_CASE("a wait for all units of two posters is ordered after both, a wait for some after neither") {
  Agents a;
  a.post(0, 1);
  const Stamp x = a.last;
  a.post(1, 1);
  const Stamp y = a.last;
  SECTION("all") {
    CHECK_FALSE(a.take(2, 2));
    CHECK(a.clock[2].covers(x));
    CHECK(a.clock[2].covers(y));
  }
  SECTION("some") {
    CHECK_FALSE(a.take(2, 1));
    CHECK_FALSE(a.clock[2].covers(x));
    CHECK_FALSE(a.clock[2].covers(y));
  }
}

TEST_CASE("of unequal posts the one that is indispensable orders") {
  Agents a;
  a.post(0, 3);
  const Stamp x = a.last;
  a.post(1, 1);
  const Stamp y = a.last;
  CHECK_FALSE(a.take(2, 2));  // 1 is not enough, 3 is
  CHECK(a.clock[2].covers(x));
  CHECK_FALSE(a.clock[2].covers(y));
}

TEST_CASE("what both of two exchangeable posts know is known, whichever came") {
  Agents a;
  const Stamp common = a.event(3);
  for (const std::uint32_t poster : {0u, 1u}) a.clock[poster].join(a.clock[3], 4);
  a.post(0, 1);
  const Stamp x = a.last;
  a.post(1, 1);
  CHECK_FALSE(a.take(2, 1));
  CHECK(a.clock[2].covers(common));
  CHECK_FALSE(a.clock[2].covers(x));
}

TEST_CASE("a second waiter is a fault unless it is ordered after the first") {
  Agents a;
  a.post(0, 2);
  a.take(1, 1);
  SECTION("unordered") { CHECK(a.take(2, 1) != 0); }
  SECTION("ordered") {
    a.clock[2].join(a.clock[1], 4);
    CHECK_FALSE(a.take(2, 1));
  }
}
