// SPDX-License-Identifier: Apache-2.0
#include "isa/base/error.hpp"
#include "sim/control/semaphores.hpp"
#include "testbench/support/catch.hpp"

using heddle::control::Semaphores;

TEST_CASE("both counts of a wait are taken together or not at all") {
  Semaphores s(8);
  s.post(1, 2);
  REQUIRE_FALSE(s.try_take({{{1, 1}, {2, 1}}}));
  REQUIRE(s.value(1) == 2);
  s.post(2, 1);
  REQUIRE(s.try_take({{{1, 1}, {2, 1}}}));
  REQUIRE(s.value(1) == 1);
  REQUIRE(s.value(2) == 0);
}

TEST_CASE("the same semaphore twice counts as the sum") {
  Semaphores s(8);
  s.post(3, 4);
  REQUIRE_FALSE(s.try_take({{{3, 2}, {3, 3}}}));
  s.post(3, 1);
  REQUIRE(s.try_take({{{3, 2}, {3, 3}}}));
  REQUIRE(s.all_zero());
}

TEST_CASE("an absent wait is always satisfied") {
  Semaphores s(4);
  REQUIRE(s.try_take({}));
  REQUIRE(s.all_zero());
}

TEST_CASE("overflow is refused one too late and not before") {
  Semaphores s(1);
  s.post(0, Semaphores::most - 1);
  s.post(0, 1);
  REQUIRE_THROWS_AS(s.post(0, 1), heddle::Error);
  REQUIRE(s.value(0) == Semaphores::most);
}
