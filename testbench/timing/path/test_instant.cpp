// SPDX-License-Identifier: Apache-2.0
// Parts of a chip that take no time, as heddle profile --what-if sets them: what is left, worked out by hand.
#include <cstring>
#include <string>

#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::Machine;

namespace {

std::uint64_t cycles(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Machine m(HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml", HDL_MODE_TIMING, overrides);
  return m.cycles(text);
}

const std::string instant_mxu = "core.mxu.instant=true", instant_vpu = "core.vpu.instant=true",
                  instant_sequencer = "core.sequencer.instant=true", instant_memory = "memory.model=instant",
                  instant_network = "noc.topology=instant", no_start = "core.dma.start=0ns";

}  // namespace

TEST_CASE("an instant VPU leaves the sequencer, an instant sequencer the VPU, both nothing") {
  std::string text = ".view a, acc, fp32, [16, 16]\nview v1, a\n";
  for (int i = 0; i < 7; ++i) text += "vpu.relu v1, v1\n";
  text += "halt";
  CHECK(cycles(text) == 2 + 7 * 8);
  CHECK(cycles(text, {instant_vpu}) == 1 + 7 + 1);
  CHECK(cycles(text, {instant_sequencer}) == 7 * 8);
  CHECK(cycles(text, {instant_sequencer, instant_vpu}) == 0);
}

TEST_CASE("an instant MXU loads, streams and drains in no time, and counts its work") {
  const std::string text =
      ".view w, spm, bf16, [16, 16]\n.view a, spm, bf16, [16, 16], base=8192\n.view c, acc, fp32, [16, 16]\n"
      "view v1, w\nview v2, a\nview v3, c\nmxu.load v1\nmxu.matmul v3, v2\nhalt";
  CHECK(cycles(text) == 4 + 16 + 16 + 30);
  CHECK(cycles(text, {instant_mxu}) == 6);
  Machine m(HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml", HDL_MODE_TIMING, {instant_mxu});
  m.cycles(text);
  CHECK(m.counter("core0.mxu0.macs") == 16 * 16 * 16);
}

TEST_CASE("what memory, network and start cost of one packet's way") {
  const std::string text =
      ".view n, spm, bf16, [32]\n.view f, hbm, bf16, [32]\nview v1, n\nview v2, f\ndma.copy v1, v2\nhalt";
  // Issued at 3; start 100; the request 2; the memory 1 + 2 * 50; the answer 2; the data path 1.
  CHECK(cycles(text) == 3 + 100 + 2 + 101 + 2 + 1);
  CHECK(cycles(text, {no_start}) == 3 + 2 + 101 + 2 + 1);
  CHECK(cycles(text, {instant_memory}) == 3 + 100 + 2 + 2 + 1);
  CHECK(cycles(text, {instant_network}) == 3 + 100 + 101 + 1);
  CHECK(cycles(text, {no_start, instant_memory, instant_network}) == 3 + 1);
}

TEST_CASE("with an instant memory a long transfer takes its engine's data path") {
  // 256 packets of 64 bytes: one a cycle; 16 KiB at 64 bytes a cycle. Two packets come back together, and the data path
  // takes the first of them as having come before the last: at the begin that is a cycle early.
  const std::string text =
      ".view n, spm, bf16, [8192]\n.view f, hbm, bf16, [8192]\nview v1, n\nview v2, f\ndma.copy v1, v2\nhalt";
  CHECK(cycles(text, {no_start, instant_memory, instant_network}) == 3 + 256 - 1);
}

TEST_CASE("a program is told nothing of instant parts") {
  const auto info = [](const std::vector<std::string>& overrides) {
    Machine m("edge", HDL_MODE_TIMING, overrides);
    hdl_chip_info out{};
    REQUIRE(m.api()->chip_info(m.device(), &out) == HDL_OK);
    return out;
  };
  const hdl_chip_info real = info({});
  const hdl_chip_info told = info({instant_mxu, instant_vpu, instant_sequencer, instant_memory, instant_network,
                                   no_start, "core.dma.write_start_cycles=0", "core.dma.descriptor_cycles=0"});
  CHECK(std::memcmp(&real, &told, sizeof real) == 0);
}
