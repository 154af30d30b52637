// SPDX-License-Identifier: Apache-2.0
// What is made of races once they are seen: each pair once with its count, in one order, the run goes on, and what the
// program allows is counted instead.
#include <memory>
#include <string>

#include "sim/check/findings.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::DeviceFailure;
using heddle::testing::Machine;

namespace {

const std::string views =
    ".view a, spm, fp32, [4, 64]\n"
    ".view b, spm, fp32, [4, 64], base=4096\n"
    ".view part, spm, fp32, [4, 16], strides=[64, 1], base=64\n"
    "start:\nview v1, a\nview v2, b\nview v3, part\n";  // lines 4 to 7

// What is found in one launch of the text, on one core.
std::unique_ptr<check::Findings> found(const std::string& text, hdl_mode mode = HDL_MODE_FULL) {
  auto findings = std::make_unique<check::Findings>();
  const check::Installed installed(findings.get());
  Machine m("edge", mode, {"cores=1"});
  m.run(m.assemble(text));
  return findings;
}

}  // namespace

TEST_CASE("a race in a loop is one finding with its count, and the run goes on to its end") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  const auto f = found(views +
                           "li x5, 5\n"
                           "again: dma.fill v1, 1.0\n"
                           "dma.fill v1, 2.0, on=1\n"
                           "addi x5, x5, -1\n"
                           "bne x5, x0, again\n"
                           "fence\nhalt\n",
                       mode);
  REQUIRE(f->failing().size() == 1);
  const check::Finding& race = *f->failing().front();
  CHECK(race.id == "HDL-RACE-01");
  // Each time the engine that writes changes; values mode lets one engine run as far as it can.
  CHECK((mode == HDL_MODE_VALUES ? race.count == 1 : race.count > 1));
  CHECK(race.memory == "spm");
  REQUIRE(race.ranges.size() == 1);
  CHECK(race.ranges[0].begin == 0);
  CHECK(race.ranges[0].end == 1024);
  CHECK(race.bytes == 1024);
  CHECK(race.first.line + race.second.line == 9 + 10);
}

TEST_CASE("every pair of places is found, also past the first, with the exact bytes of strided ones") {
  const auto f = found(views +
                       "dma.fill v2, 1.0\n"
                       "dma.fill v2, 2.0, on=1\n"  // line 9 against 8
                       "dma.fill v1, 1.0\n"
                       "dma.fill v3, 2.0, on=1\n"  // line 11 against 10
                       "dma.fill v3, 3.0, on=2\n"  // line 12 against 11 only: what came before is behind it
                       "fence\nhalt\n");
  const auto all = f->failing();
  REQUIRE(all.size() == 3);
  CHECK(all[0]->second.line == 9);
  CHECK(all[1]->second.line == 11);
  CHECK(all[2]->second.line == 12);
  REQUIRE(all[1]->ranges.size() == 4);  // four rows of sixteen elements
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(all[1]->ranges[i].begin == 64 + 256 * i);
    CHECK(all[1]->ranges[i].end == 128 + 256 * i);
  }
  CHECK(all[1]->bytes == 256);
}

TEST_CASE("a write that waits for neither of two readers is two findings") {
  const auto f = found(views +
                       "dma.fill v1, 1.0\nfence\n"
                       "vpu.exp v2, v1\n"          // line 10
                       "mxu.load v1\n"             // line 11
                       "dma.fill v1, 2.0, on=1\n"  // line 12
                       "fence\nhalt\n");
  const auto all = f->failing();
  REQUIRE(all.size() == 2);
  for (const check::Finding* race : all) CHECK((race->first.line == 12 || race->second.line == 12));
}

TEST_CASE("what a program allows is counted with its reason and fails nothing") {
  const auto f = found(views +
                       ".allow \"HDL-RACE-01\", \"both write zeros\"\n"  // line 8
                       "dma.fill v1, 0.0\n"
                       ".endallow\n"
                       "dma.fill v1, 0.0, on=1\n"
                       ".allow \"HDL-SEM-05\", \"never happens\"\n"  // line 12
                       "fence\n"
                       ".endallow\nhalt\n");
  CHECK(!f->failed());
  REQUIRE(f->all().size() == 1);
  CHECK(f->all().front()->allowed == 0u);
  REQUIRE(f->suppressions().size() == 2);
  CHECK(f->suppressions()[0].findings == 1);
  CHECK(f->suppressions()[0].count == 1);
  CHECK(f->suppressions()[1].count == 0);
  CHECK(check::text_of(f->suppressions()) ==
        "  1 suppressed (once)   HDL-RACE-01, test.s:8: both write zeros\n"
        "  nothing to suppress   HDL-SEM-05, test.s:12: never happens\n");
}

TEST_CASE("an allowed hazard of another kind, or around neither end, allows nothing") {
  CHECK(found(views + ".allow \"HDL-SEM-05\", why\ndma.fill v1, 0.0\n.endallow\ndma.fill v1, 0.0, on=1\nfence\nhalt\n")
            ->failed());
  CHECK(found(views + "dma.fill v1, 0.0\ndma.fill v1, 0.0, on=1\n.allow \"HDL-RACE-01\", why\nfence\n.endallow\nhalt\n")
            ->failed());
}

TEST_CASE("the innermost of nested reasons counts") {
  const auto f = found(views +
                       ".allow \"HDL-RACE-01\", outer\ndma.fill v1, 0.0\n"
                       ".allow \"HDL-RACE-01\", inner\ndma.fill v1, 0.0, on=1\n.endallow\n.endallow\nfence\nhalt\n");
  REQUIRE(f->suppressions().size() == 2);
  CHECK(f->suppressions()[0].count == 0);
  CHECK(f->suppressions()[1].count == 1);
}

TEST_CASE("past a hundred pairs only the times are counted") {
  std::string text = views;
  for (int i = 0; i < 60; ++i) text += "dma.fill v1, 1.0\ndma.fill v1, 2.0, on=1\n";
  const auto f = found(text + "fence\nhalt\n");
  CHECK(f->failing().size() == check::Findings::most);
  CHECK(f->dropped() > 0);
  CHECK_THAT(check::text_of(f->failing(), f->dropped(), 20), contains("and 80 more pairs") && contains("past the 100"));
}

TEST_CASE("a device that nobody collects for fails its launch with all that it found") {
  Machine m("edge", HDL_MODE_FULL, {"cores=1"});
  const hdl_image racy = m.assemble(views +
                                    "dma.fill v2, 1.0\ndma.fill v2, 2.0, on=1\ndma.fill v1, 1.0\n"
                                    "dma.fill v1, 2.0, on=1\nfence\nhalt\n");
  for (int launch = 0; launch < 2; ++launch) {
    try {
      m.run(racy);
      FAIL("no error");
    } catch (const DeviceFailure& e) {
      CHECK(e.id == "HDL-RACE-01");
      CHECK(e.line == 9);
      CHECK_THAT(e.what(), contains("test.s:9: HDL-RACE-01") && contains("test.s:11: HDL-RACE-01"));
    }
  }
  m.run(m.assemble(views + "dma.fill v2, 1.0\nfence\nhalt\n"));  // the device itself is in order
}

TEST_CASE("an error that ends the launch comes with the races that were found before it") {
  Machine m("edge", HDL_MODE_FULL, {"cores=1"});
  try {
    m.run(m.assemble(views + "dma.fill v1, 1.0\ndma.fill v1, 2.0, on=1\nvpu.sync wait s0\nhalt\n"));
    FAIL("no error");
  } catch (const DeviceFailure& e) {
    CHECK(e.id == "HDL-SEM-01");
    CHECK_THAT(e.what(), contains("before that:") && contains("HDL-RACE-01"));
  }
}
