// SPDX-License-Identifier: Apache-2.0
// Scratchpad banks with one port: what the array reads waits for what DMA engines write, and a load for rows that
// stream from the same bank.
#include "sim/compute/spm_banks.hpp"

#include <string>

#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::Machine;

namespace {

const std::string plain = HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml";
constexpr TimeFs period(1000);
TimeFs at(std::int64_t cycle) { return period * cycle; }

config::ScratchpadSpec scratchpad(bool write_first) {
  config::ScratchpadSpec spm;
  spm.size_bytes = 4096;
  spm.banks = 4;
  spm.width_bytes = 16;
  spm.linear_banks = true;
  spm.write_first = write_first;
  return spm;
}

// A tile of 16 x 16 loaded at `base` and 16 rows at 8192 streamed through it, twice.
std::string two_tiles(std::uint64_t base) {
  return ".view w, spm, bf16, [16, 16], base=" + std::to_string(base) +
         "\n.view a, spm, bf16, [16, 16], base=8192\n.view c, acc, fp32, [16, 16]\nview v1, w\nview v2, a\nview v3, c\n"
         "mxu.load v1\nmxu.matmul v3, v2\nmxu.load v1\nmxu.matmul v3, v2 post s0\nsem.wait s0, 1\nhalt";
}

}  // namespace

TEST_CASE("a read takes the cycles that writes leave, and not one more") {
  compute::SpmBanks banks(scratchpad(true));
  banks.write(0, 64, at(14), period);                 // [10, 14)
  banks.write(16, 64, at(24), period);                // [20, 24)
  CHECK(banks.read_end(0, at(0), at(10)) == at(10));  // over before the first write
  CHECK(banks.read_end(0, at(0), at(11)) == at(15));  // its last cycle waits for the write
  CHECK(banks.read_end(0, at(12), at(6)) == at(20));  // begins in the write, ends where the next one begins
  CHECK(banks.read_end(0, at(12), at(7)) == at(25));
  CHECK(banks.read_end(0, at(24), at(3)) == at(27));
  CHECK(banks.read_end(1, at(0), at(11)) == at(11));  // another bank: 1024 bytes further
}

TEST_CASE("writes that want a busy bank keep it busy") {
  compute::SpmBanks banks(scratchpad(true));
  banks.write(0, 64, at(14), period);
  banks.write(0, 64, at(18), period);  // directly behind
  CHECK(banks.read_end(0, at(9), at(2)) == at(19));
}

TEST_CASE("without write_first DMA's writes cost the array nothing") {
  compute::SpmBanks banks(scratchpad(false));
  banks.write(0, 64, at(14), period);
  CHECK(banks.read_end(0, at(10), at(4)) == at(14));
}

TEST_CASE("a load waits while rows stream from its bank") {
  // Bank 0 is the first 64 KiB of the plain chip: tile and rows lie in it. The second load runs beside the first stream
  // in [20, 36): 8 words of 64 bytes for 16 rows, so it loses 8 cycles less the one it started late.
  Machine m(plain, HDL_MODE_TIMING, {"core.scratchpad.linear_banks=true", "core.mxu.issue_cycles=0"});
  CHECK(m.cycles(two_tiles(0)) == 4 + 16 + 16 + 8 + 16 + 30 + 1);
}
TEST_CASE("... and not for rows of another bank") {
  Machine m(plain, HDL_MODE_TIMING, {"core.scratchpad.linear_banks=true", "core.mxu.issue_cycles=0"});
  CHECK(m.cycles(two_tiles(65536)) == 4 + 16 + 2 * 16 + 30 + 1);
}

namespace {
// 64 KiB into `to` from cycle 102 or so on, a word of its bank a cycle; once the first has landed, a tile is loaded.
std::string beside_a_transfer(std::uint64_t tile) {
  return ".view h, hbm, bf16, [32768]\n.view t, spm, bf16, [32768], base=131072\n.view one, hbm, bf16, [32]\n"
         ".view o, spm, bf16, [32], base=0\n.view w, spm, bf16, [16, 16], base=" +
         std::to_string(tile) +
         "\nview v1, h\nview v2, t\nview v4, one\nview v5, o\nview v3, w\ndma.copy v5, v4 post s1\ndma.copy v2, v1\n"
         "mxu.load v3 wait s1, post s0\nsem.wait s0, 1\nhalt";
}
std::uint64_t load_beside(std::uint64_t tile) {
  Machine m(plain, HDL_MODE_TIMING,
            {"core.scratchpad.linear_banks=true", "core.scratchpad.write_first=true", "core.dma.in_flight=256",
             "core.dma.batch=1"});
  m.cycles(beside_a_transfer(tile));
  return m.counter("core0.mxu0.busy");
}
}  // namespace

TEST_CASE("a load waits for a transfer that fills its bank") {
  // The bank's 1024 packets arrive one a cycle without a gap: the load of 8 words gets its first cycle after the last.
  CHECK(load_beside(131072) >= 1000);
}
TEST_CASE("... and takes its own time beside one that fills another") { CHECK(load_beside(0) == 16); }
