// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a program is reported with its place, in every mode that can see it, and never hangs.
#include <string>

#include "sim/config/load_chip.hpp"
#include "sim/control/program.hpp"
#include "sim/top/system.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::DeviceFailure;
using heddle::testing::Machine;

namespace {

DeviceFailure failing(hdl_mode mode, const std::string& text, const std::vector<std::string>& overrides = {}) {
  Machine m("edge", mode, overrides);
  try {
    m.run(m.assemble(text));
  } catch (const DeviceFailure& e) {
    return e;
  }
  FAIL("it ran to its end");
  throw std::logic_error("unreachable");
}

const hdl_mode timed[] = {HDL_MODE_TIMING, HDL_MODE_FULL};

}  // namespace

TEST_CASE("a deadlock names who waits for what, and who would have to post") {
  for (const hdl_mode mode : {HDL_MODE_VALUES, HDL_MODE_TIMING, HDL_MODE_FULL}) {
    const DeviceFailure e = failing(mode,
                                    "vpu.sync wait s5:3\nmxu.sync wait s6, post s5\nsem.wait s7, 1\nhalt\n"
                                    "mxu.sync post s6\n",
                                    {"cores=1"});
    CHECK(e.status == HDL_PROGRAM_ERROR);
    CHECK(e.id == "HDL-SEM-01");
    CHECK(e.file == "test.s");
    CHECK_THAT(e.what(), contains("vpu.sync") && contains("s5") && contains("test.s:1"));
    CHECK_THAT(e.what(), contains("mxu.sync") && contains("s6") && contains("test.s:2"));
    CHECK_THAT(e.what(), contains("sem.wait") && contains("s7") && contains("test.s:3"));
    CHECK_THAT(e.what(), contains("test.s:5"));  // posts s6, but nobody gets there
  }
}

TEST_CASE("a deadlock behind a full queue and in a fence") {
  for (const hdl_mode mode : timed) {
    std::string many;
    for (int i = 0; i < 40; ++i) many += "dma.sync wait s1\n";
    CHECK(failing(mode, many + "halt").id == "HDL-SEM-01");
    CHECK(failing(mode, "dma.sync wait s1\nfence\nhalt").id == "HDL-SEM-01");
    CHECK(failing(mode, "dma.sync wait s1\nhalt").id == "HDL-SEM-01");
  }
}

TEST_CASE("semaphores must be zero at the end, and never too large") {
  for (const hdl_mode mode : timed) {
    CHECK(failing(mode, "sem.post s9, 2\nhalt").id == "HDL-SEM-02");
    const DeviceFailure e = failing(mode, "nop\nsem.post s9, 0x7fffffff\nvpu.sync post s9\nhalt");
    CHECK(e.id == "HDL-SEM-03");
    CHECK(e.line == 3);
  }
}

TEST_CASE("a scalar loop without end stops at the budget") {
  const config::ChipSpec chip = config::load_chip("edge", {"cores=1"});
  exec::MachineMemory memory(chip, true);
  top::SystemOptions options;
  options.max_instructions = 1'000'000;
  top::System system(chip, memory, options);
  const control::Program program(isa::assemble("loop: jal x0, loop", "test.s"));
  CHECK_THROWS_WITH(system.run(program, 0, 0, {}), contains("HDL-SEM-04") && contains("1000000"));
  CHECK_THROWS_WITH(system.run(program, 0, 0, {}), contains("HDL-TOP-04"));
}

TEST_CASE("errors carry id, file, line and cycle") {
  for (const hdl_mode mode : timed) {
    const DeviceFailure far = failing(mode,
                                      ".view a, spm, fp32, [1024]\nli x4, 0x200000\nview v1, a, base=x4\n"
                                      "vpu.relu v1, v1\nhalt");
    CHECK(far.id == "HDL-EXEC-01");
    CHECK(far.line == 4);
    CHECK(failing(mode, "li x4, 1\ndiv x5, x4, x0\nhalt").id == "HDL-EXEC-08");
    CHECK(failing(mode, "trap 5\nhalt").id == "HDL-EXEC-09");
    CHECK(failing(mode, "dma.sync on=9\nhalt").id == "HDL-EXEC-10");
  }
  const DeviceFailure unwritten =
      failing(HDL_MODE_FULL, ".view a, spm, fp32, [64]\nview v1, a\nvpu.relu v1, v1\nhalt", {"cores=1"});
  CHECK(unwritten.id == "HDL-EXEC-02");
  CHECK(unwritten.line == 3);
  CHECK_THAT(unwritten.what(), contains("cycle 2002"));  // launch overhead, view, and its own issue
}

TEST_CASE("an index out of range is found with and without values") {
  for (const hdl_mode mode : timed) {
    const DeviceFailure e =
        failing(mode,
                ".view i, smem, int32, [1], base=64\n.view t, hbm, bf16, [8, 64]\n.view s, spm, bf16, [1, 64]\n"
                "li x4, 8\nsw x4, x0, 64\nview v1, s\nview v2, t\nview v3, i\ndma.gather v1, v2, v3\nhalt");
    CHECK(e.id == "HDL-EXEC-06");
    CHECK(e.line == 9);
  }
}

TEST_CASE("a device that met a program error says so ever after, and a new one works") {
  Machine broken("edge", HDL_MODE_FULL);
  const hdl_image bad = broken.assemble("trap 1\nhalt");
  const hdl_image good = broken.assemble("halt");
  CHECK_THROWS_AS(broken.run(bad), DeviceFailure);
  CHECK_THAT(heddle::testing::failure_of([&] { broken.run(good); }), contains("HDL-TOP-04"));
  broken.close();
  Machine fresh("edge", HDL_MODE_FULL);
  fresh.run(fresh.assemble("halt"));
}
