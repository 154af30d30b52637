// SPDX-License-Identifier: Apache-2.0
// DMA transfers in cycles, worked out by hand on the plain chip: start 100, a packet of 64 bytes holds issue, links,
// data path and memory for a cycle each; a packet crosses the network in 2 cycles (one hop, one cycle of data); the
// ideal memory answers 100 cycles after it has served a packet.
#include <algorithm>
#include <string>

#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using heddle::testing::Machine;

namespace {

const std::string plain = HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml";

// Two views and the copy: it is in the queue at cycle 3. Then the wait, and halt's cycle.
std::string copy(const std::string& destination, const std::string& source, const std::string& op = "dma.copy v2, v1") {
  return ".view a, " + source + "\n.view b, " + destination + "\nview v1, a\nview v2, b\n" + op +
         " post s0\nsem.wait s0, 1\nhalt";
}
constexpr std::uint64_t first = 103;  // issue of the first packet

}  // namespace

TEST_CASE("one packet read: request, memory, answer, data path") {
  Machine m(plain, HDL_MODE_TIMING);
  // Leaves at 103, at the memory 105, served 106, answered 206, back 208, through the data path 209; halt.
  CHECK(m.cycles(copy("spm, bf16, [32]", "hbm, bf16, [32]")) == first + 2 + 1 + 100 + 2 + 1 + 1);
  CHECK(m.counter("core0.dma0.bytes") == 64);
  CHECK(m.counter("hbm.bytes_read") == 64);
}

TEST_CASE("one packet written: data path, way there, memory, acknowledgement") {
  Machine m(plain, HDL_MODE_TIMING);
  // In the data path until 104, at the memory 106, served 107, answered 207, acknowledged 209; halt.
  CHECK(m.cycles(copy("hbm, bf16, [32]", "spm, bf16, [32]")) == first + 1 + 2 + 1 + 100 + 2 + 1);
  CHECK(m.counter("hbm.bytes_written") == 64);
}

TEST_CASE("from memory to memory is a read and then a write") {
  Machine m(plain, HDL_MODE_TIMING);
  // Read and through the data path at 209; at the memory 211, served 212, answered 312, acknowledged 314; halt.
  CHECK(m.cycles(copy("hbm, bf16, [32], base=4096", "hbm, bf16, [32]")) == first + 106 + 105 + 1);
}

TEST_CASE("inside a core only the data path counts") {
  Machine m(plain, HDL_MODE_TIMING);
  CHECK(m.cycles(copy("spm, bf16, [32, 64], base=8192", "spm, bf16, [32, 64]")) == first + 64 + 1);
  CHECK(m.cycles(copy("spm, bf16, [64, 32], base=8192", "spm, bf16, [32, 64]", "dma.transpose v2, v1")) ==
        first + 256 + 1);  // 16 bytes a cycle, as a chip may well be slower at that
  CHECK(m.cycles(copy("spm, bf16, [32, 64], base=8192", "spm, bf16, [1]", "dma.fill v2, 1.5")) == first + 64 + 1);
  // Rows with gaps: 200 of them, each its own descriptor, beside 2 bytes of data each.
  CHECK(m.cycles(copy("spm, bf16, [200, 1], base=65536", "spm, bf16, [200, 1], strides=[64, 1]")) == first + 199 + 1);
}

TEST_CASE("empty transfers and dma.sync cost no start") {
  Machine m(plain, HDL_MODE_TIMING);
  CHECK(m.cycles(copy("spm, bf16, [0]", "spm, bf16, [0]")) == 4 + 1);
  CHECK(m.cycles("dma.sync post s0\nsem.wait s0, 1\nhalt") == 2 + 1);
}

TEST_CASE("a streaming read runs at the memory's pace") {
  Machine m(plain, HDL_MODE_TIMING, {"core.dma.in_flight=256"});
  // 1024 packets at one a cycle behind the first: 103 + 106 + 1023, give or take one batch's rounding.
  const std::uint64_t cycles = m.cycles(copy("spm, bf16, [32768]", "hbm, bf16, [32768]"));
  CHECK(cycles >= first + 106 + 1023 + 1);
  CHECK(cycles <= first + 106 + 1023 + 1 + 16);
}

TEST_CASE("no more than in_flight packets are outstanding") {
  // 512 packets, each at least 105 cycles on its way: 512 / in_flight round trips, and no sooner.
  for (const int in_flight : {4, 8, 16, 32}) {
    Machine m(plain, HDL_MODE_TIMING, {"core.dma.in_flight=" + std::to_string(in_flight)});
    const std::uint64_t cycles = m.cycles(copy("spm, bf16, [16384]", "hbm, bf16, [16384]"));
    const std::uint64_t trips = 512 / static_cast<unsigned>(in_flight);
    INFO("in flight " << in_flight);
    CHECK(cycles >= first + trips * 105);
    CHECK(cycles <= first + trips * (106 + static_cast<unsigned>(in_flight) / 4 + 2) + 32);
  }
}

// n packets of 64 bytes: what the round trips allow, n / in_flight * 105 cycles, until that is less than the memory's
// pace, n cycles. The two cross at 105 packets in flight; the longer one decides.
TEST_CASE("a read is bound by latency until enough packets are in flight, and by bandwidth from there on") {
  constexpr std::uint64_t packets = 4096, trip = 105;
  std::uint64_t before = 0;
  for (const std::uint64_t in_flight : {8u, 16u, 32u, 64u, 128u, 256u, 512u}) {
    Machine m(plain, HDL_MODE_TIMING, {"core.dma.in_flight=" + std::to_string(in_flight)});
    const std::uint64_t cycles = m.cycles(copy("spm, bf16, [131072]", "hbm, bf16, [131072]"));
    const std::uint64_t bound = std::max(packets / in_flight * trip, packets + trip);
    INFO("in flight " << in_flight << ": " << cycles << " cycles, bound " << bound);
    CHECK(cycles >= first + std::max(packets / in_flight * trip, packets));
    CHECK(cycles <= first + bound + bound / 4 + 32);
    if (before != 0) CHECK(cycles <= before);
    before = cycles;
  }
}

TEST_CASE("the start cost is paid once a transfer, whatever its size") {
  for (const char* size : {"[32]", "[2048]"}) {
    const std::string text = copy(std::string("spm, bf16, ") + size, std::string("hbm, bf16, ") + size);
    const auto cycles = [&](const char* start) { return Machine(plain, HDL_MODE_TIMING, {start}).cycles(text); };
    CHECK(cycles("core.dma.start=350ns") == cycles("core.dma.start=100ns") + 250);
  }
}

TEST_CASE("a launch costs its overhead, once, before anything else") {
  const std::string text = copy("spm, bf16, [32]", "hbm, bf16, [32]");
  const std::uint64_t alone = Machine(plain, HDL_MODE_TIMING).cycles(text);
  Machine later(plain, HDL_MODE_TIMING, {"launch_overhead=500 cycles"});
  CHECK(later.cycles(text) == alone + 500);
  CHECK(later.cycles(text) == alone + 500);  // and the second time
}

TEST_CASE("start costs of queued transfers run side by side") {
  Machine m(plain, HDL_MODE_TIMING);
  // Four copies of 64 cycles of data path inside the core: queued at 3, 4, 5, 6, the first moves in [103, 167), the
  // others directly behind it.
  const std::string four =
      ".view a, spm, bf16, [32, 64]\n.view b, spm, bf16, [32, 64], base=8192\nview v1, a\nview v2, b\n"
      "dma.copy v2, v1 post s0\ndma.copy v2, v1 post s0\ndma.copy v2, v1 post s0\ndma.copy v2, v1 post s0\n"
      "sem.wait s0, 4\nhalt";
  CHECK(m.cycles(four) == first + 4 * 64 + 1);
}

TEST_CASE("two engines share the memory's bandwidth") {
  const std::string both =
      ".view a, hbm, bf16, [32768]\n.view b, spm, bf16, [32768]\n.view c, spm, bf16, [32768], base=65536\n"
      "view v1, a\nview v2, b\nview v3, c\ndma.copy v2, v1, on=0 post s0\ndma.copy v3, v1, on=1 post s0\n"
      "sem.wait s0, 2\nhalt";
  Machine m(plain, HDL_MODE_TIMING, {"core.dma.in_flight=256"});
  const std::uint64_t cycles = m.cycles(both);
  CHECK(cycles >= 104 + 106 + 2047);  // 2048 packets at one a cycle
  CHECK(cycles <= 104 + 106 + 2047 + 40);
}

TEST_CASE("two cores share the memory's bandwidth") {
  const std::string text = copy("spm, bf16, [32768]", "hbm, bf16, [32768]");
  Machine m(plain, HDL_MODE_TIMING, {"core.dma.in_flight=256", "cores=2"});
  const std::uint64_t cycles = m.cycles(text);
  CHECK(cycles >= first + 106 + 2047);
  CHECK(cycles <= first + 106 + 2047 + 40);
  CHECK(m.counter("core0.dma0.bytes") == m.counter("core1.dma0.bytes"));
}

TEST_CASE("a copy to another core's scratchpad goes over the network alone") {
  Machine m(plain, HDL_MODE_TIMING, {"cores=2"});
  // Core 0 writes a packet to core 1 and posts there: data path 104+2, there 106+2, acknowledged 108+2 = 110, and the
  // post takes another 2; core 1 then halts.
  const std::string text =
      ".view a, spm, bf16, [32]\ncsrr x5, core_id\nbne x5, x0, other\nview v1, a\nview v2, a\nli x6, 1\n"
      "view.remote v2, x6, x0\ndma.copy v2, v1, remote_post post _, s3\nhalt\nother: sem.wait s3, 1\nhalt";
  // csrr 1, bne 2, view 3, view 4, li 5, view.remote 6, dma 7: issues at 107.
  CHECK(m.cycles(text) == 107 + 1 + 2 + 2 + 2 + 1);
  CHECK(m.counter("hbm.bytes_read") == 0);
}

TEST_CASE("gather fetches a row an index and posts when all have landed") {
  Machine m(plain, HDL_MODE_FULL);
  std::vector<std::uint16_t> table(64 * 32);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint16_t>(i);
  const std::uint64_t from = m.upload(table);
  const std::uint64_t list = m.upload(std::vector<std::int32_t>{5, 63, 0, 5});
  const std::uint64_t to = m.allocate(4 * 32 * 2);
  const std::string text =
      ".entry start, 3\n.view t, hbm, bf16, [64, 32]\n.view i, hbm, int32, [4]\n.view j, smem, int32, [4], base=1024\n"
      ".view s, spm, bf16, [4, 32]\n.view o, hbm, bf16, [4, 32]\n"
      "start: ld x4, x0, 0\nld x5, x0, 8\nld x6, x0, 16\nview v1, t, base=x4\nview v2, i, base=x5\nview v3, j\n"
      "view v4, s\nview v5, o, base=x6\ndma.copy v3, v2 post s0\ndma.gather v4, v1, v3 wait s0, post s1\n"
      "dma.copy v5, v4 wait s1, post s2\nsem.wait s2, 1\nhalt";
  m.cycles(text, {from, list, to});
  const auto rows = m.download<std::uint16_t>(to, 4 * 32);
  for (std::size_t r = 0; r < 4; ++r) CHECK(rows[r * 32 + 7] == std::vector<int>{5, 63, 0, 5}[r] * 32 + 7);
  CHECK(m.counter("hbm.bytes_read") == 16 + 4 * 64);
}
