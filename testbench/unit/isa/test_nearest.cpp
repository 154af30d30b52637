// SPDX-License-Identifier: Apache-2.0
#include "isa/base/nearest.hpp"

#include "testbench/support/catch.hpp"

using heddle::did_you_mean;
using heddle::nearest_name;

TEST_CASE("the nearest name") {
  CHECK(nearest_name("coers", {"cores", "clock", "core"}) ==
        "cores");  // a swap is one edit, as is a deletion: first wins
  CHECK(nearest_name("matmull", {"matmul", "load"}) == "matmul");
  CHECK(nearest_name("b", {"a", "c"}).empty());  // nothing in common
  CHECK(nearest_name("xyz", {"accumulator"}).empty());
  CHECK(nearest_name("", {"a", "abc"}).empty());
  CHECK(nearest_name("a", {}).empty());
  CHECK(nearest_name(std::string(10000, 'x'), {std::string_view("xxxx")}).empty());
  CHECK(did_you_mean("strt", {"start"}) == "; did you mean 'start'?");
  CHECK(did_you_mean("qqq", {"start"}).empty());
}
