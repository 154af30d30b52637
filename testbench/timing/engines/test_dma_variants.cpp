// SPDX-License-Identifier: Apache-2.0
// DMA engines that differ from the plain one: aligned packets as on a TileLink bus, rows that are never merged, writes
// with a rate, a window and a start of their own. Worked out by hand on the plain chip: the copy is in the queue at
// cycle 3, its first packet leaves at 103.
#include <string>

#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using heddle::testing::Machine;

namespace {

const std::string plain = HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml";

std::string copy(const std::string& destination, const std::string& source) {
  return ".view a, " + source + "\n.view b, " + destination +
         "\nview v1, a\nview v2, b\ndma.copy v2, v1 post s0\nsem.wait s0, 1\nhalt";
}
constexpr std::uint64_t first = 103;

struct Run {
  std::uint64_t cycles, read, written;
};
Run run(const std::vector<std::string>& overrides, const std::string& text) {
  Machine m(plain, HDL_MODE_TIMING, overrides);
  const std::uint64_t cycles = m.cycles(text);
  return {cycles, m.counter("hbm.bytes_read"), m.counter("hbm.bytes_written")};
}

const std::vector<std::string> aligned{"core.dma.aligned_packet=16B", "core.dma.batch=1"};

}  // namespace

TEST_CASE("an aligned packet is the power of two that covers most, the smallest such") {
  // 64 bytes from 240: 16 up to the next multiple of 64, then 48 of the 64 bytes at 256.
  CHECK(run(aligned, copy("spm, int8, [64]", "hbm, int8, [64], base=240")).read == 16 + 64);
}
TEST_CASE("... what 32 bytes cover is not asked for with 64") {
  // 48 bytes from 432: 16, then 32 at 448.
  CHECK(run(aligned, copy("spm, int8, [48]", "hbm, int8, [48], base=432")).read == 16 + 32);
}
TEST_CASE("... and writes go the same way") {
  CHECK(run(aligned, copy("hbm, int8, [64], base=240", "spm, int8, [64]")).written == 16 + 64);
}
TEST_CASE("packets that need no alignment move what is asked for") {
  CHECK(run({}, copy("spm, int8, [64]", "hbm, int8, [64], base=240")).read == 64);
}

TEST_CASE("rows that follow each other are one run unless merge_rows is off") {
  const std::string rows = copy("spm, int8, [4, 16]", "hbm, int8, [4, 16]");
  // One packet of 64 bytes: as in test_dma_timing.cpp.
  CHECK(run({"core.dma.batch=1"}, rows).cycles == first + 107);
}
TEST_CASE("... then each row has its packet, a cycle to issue and its descriptor's cycle") {
  // The fourth leaves 3 * (1 + 1) cycles after the first; 16 bytes hold the memory for a quarter of a cycle, so that
  // the answer passes the links from 106.25 after its issue to the data path's next whole cycle.
  const std::string rows = copy("spm, int8, [4, 16]", "hbm, int8, [4, 16]");
  CHECK(run({"core.dma.batch=1", "core.dma.merge_rows=false"}, rows).cycles == first + 6 + 107);
}

TEST_CASE("writes have a rate of their own, to the fraction of a cycle") {
  // 16 rows of 16 bytes at 64/7 bytes a cycle: 28 cycles in the data path instead of 16, then the way there, the memory
  // and the acknowledgement, as in test_dma_timing.cpp (2 + 1 + 100 + 2), a quarter of a cycle for 16 bytes rounded up.
  const std::string rows = copy("hbm, int8, [16, 16], strides=[64, 1]", "spm, int8, [16, 16]");
  const std::vector<std::string> base{"core.dma.batch=1", "core.dma.descriptor_cycles=0", "core.dma.in_flight=64"};
  std::vector<std::string> slow = base;
  slow.push_back("core.dma.write_bytes_per_cycle=64/7");
  CHECK(run(slow, rows).cycles == first + 28 + 105 + 1);
}
TEST_CASE("a write that does not fill its aligned packet takes partial_write_cycles more") {
  const std::string one = copy("hbm, int8, [2]", "spm, int8, [2]");
  std::vector<std::string> merged = aligned;
  merged.push_back("core.dma.partial_write_cycles=20");
  CHECK(run(merged, one).cycles == run(aligned, one).cycles + 20);
}
TEST_CASE("... and one that fills it does not, nor does a read") {
  std::vector<std::string> merged = aligned;
  merged.push_back("core.dma.partial_write_cycles=20");
  const std::string full = copy("hbm, int8, [16]", "spm, int8, [16]"), read = copy("spm, int8, [2]", "hbm, int8, [2]");
  CHECK(run(merged, full).cycles == run(aligned, full).cycles);
  CHECK(run(merged, read).cycles == run(aligned, read).cycles);
}
TEST_CASE("... and a start of their own") {
  const std::string rows = copy("hbm, bf16, [32]", "spm, bf16, [32]");
  CHECK(run({"core.dma.write_start_cycles=6"}, rows).cycles == first + 6 + 107);
}
TEST_CASE("... which reads do not have") {
  const std::string rows = copy("spm, bf16, [32]", "hbm, bf16, [32]");
  CHECK(run({"core.dma.write_start_cycles=6"}, rows).cycles == first + 107);
}
TEST_CASE("writes may have a window beside that of reads") {
  // 32 packets, 4 at a time: at least 8 round trips of 105 cycles; with 32 at a time, one.
  const std::string rows = copy("hbm, bf16, [1024]", "spm, bf16, [1024]");
  CHECK(run({"core.dma.batch=1", "core.dma.in_flight=4"}, rows).cycles >= first + 8 * 105);
}
TEST_CASE("... in which more of them are outstanding") {
  const std::string rows = copy("hbm, bf16, [1024]", "spm, bf16, [1024]");
  CHECK(run({"core.dma.batch=1", "core.dma.in_flight=4", "core.dma.write_in_flight=32"}, rows).cycles <=
        first + 32 + 105 + 8);
}
