// SPDX-License-Identifier: Apache-2.0
// Engines with a clock of their own, a least time of a matmul, and the vector unit's ports, in cycles worked out by
// hand on the plain chip (1 cycle is 1 ns).
#include <string>

#include "sim/compute/spm_traffic.hpp"
#include "sim/compute/vpu_timing.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::Machine;

namespace {

const std::string plain = HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml";

std::string product(int rows, const std::string& rest) {
  return ".view w, spm, bf16, [16, 16]\n.view a, spm, bf16, [" + std::to_string(rows) +
         ", 16], base=8192\n.view c, acc, fp32, [" + std::to_string(rows) +
         ", 16]\nview v1, w\nview v2, a\nview v3, c\n" + rest;
}

const std::string one_product = "mxu.load v1\nmxu.matmul v3, v2 post s0\nsem.wait s0, 1\nhalt";

isa::View tile(DType dtype, std::uint32_t rows = 8, std::uint32_t n = 16, isa::Space space = isa::Space::spm) {
  isa::View v;
  v.space = space;
  v.dtype = dtype;
  v.rank = 2;
  v.size = {rows, n};
  v.stride = {n, 1};
  return v;
}

}  // namespace

TEST_CASE("an array with a clock of its own counts its cycles in it") {
  // The load starts in cycle 4: 16 to load, 16 rows, 30 to drain, and a cycle for halt; see test_mxu_timing.cpp.
  SECTION("twice as fast") {
    Machine m(plain, HDL_MODE_TIMING, {"core.mxu.clock=2GHz"});
    CHECK(m.cycles(product(16, one_product)) == 4 + 31 + 1);
    CHECK(m.counter("core0.mxu0.busy") == 16);  // counters are of the core's clock
  }
  SECTION("half as fast") {
    Machine m(plain, HDL_MODE_TIMING, {"core.mxu.clock=500MHz"});
    CHECK(m.cycles(product(16, one_product)) == 4 + 2 * 62 + 1);
  }
}

TEST_CASE("banks keep the core's clock, whatever the engine's is") {
  // 32 rows that all begin in one bank take 32 core cycles, though the array could take 64 rows in that time.
  Machine m(plain, HDL_MODE_TIMING, {"core.mxu.clock=2GHz"});
  CHECK(m.cycles(".view w, spm, bf16, [16, 16]\n.view a, spm, bf16, [32, 16], strides=[512, 1], base=8192\n"
                 ".view c, acc, fp32, [32, 16]\nview v1, w\nview v2, a\nview v3, c\n" +
                 one_product) == 4 + 8 + 32 + 15 + 1);
}

TEST_CASE("the banks' rate is of the core's clock, an engine's share of it in cycles of its own") {
  config::ScratchpadSpec spm;
  spm.banks = 16;
  spm.width_bytes = 64;
  const TimeFs core(1000), fast(500), slow(4000);
  compute::SpmTraffic traffic(spm, 3, core);
  CHECK(traffic.reserve(0, 160, 10, core * 0, fast) == 20);   // 10 KiB take 10 core cycles
  CHECK(traffic.reserve(1, 160, 10, core * 5, core) == 20);   // nothing is left: half of the banks, as its fair share
  CHECK(traffic.reserve(2, 160, 1, core * 90, slow) == 3);    // 10 core cycles again, in cycles of four
  CHECK(traffic.reserve(0, 160, 4, core * 101, core) == 20);  // until 102 that takes 854 a core cycle: half is left
}

TEST_CASE("a vector unit with a clock of its own counts its cycles in it") {
  const std::string text = ".view a, acc, fp32, [16, 16]\nview v1, a\nvpu.relu v1, v1 post s0\nsem.wait s0, 1\nhalt";
  {
    Machine m(plain, HDL_MODE_TIMING);
    CHECK(m.cycles(text) == 2 + 4 + 4 + 1);
  }
  Machine slow(plain, HDL_MODE_TIMING, {"core.vpu.clock=250MHz"});
  CHECK(slow.cycles(text) == 2 + 4 * (4 + 4) + 1);
}

TEST_CASE("a DMA engine with a clock of its own moves bytes at it") {
  const std::string text =
      ".view a, spm, bf16, [32, 64]\n.view b, spm, bf16, [32, 64], base=8192\nview v1, a\nview v2, b\n"
      "dma.copy v2, v1 post s0\nsem.wait s0, 1\nhalt";
  {
    Machine m(plain, HDL_MODE_TIMING);
    CHECK(m.cycles(text) == 103 + 64 + 1);  // 4 KiB at 64 bytes a cycle
  }
  Machine slow(plain, HDL_MODE_TIMING, {"core.dma.clock=500MHz"});
  CHECK(slow.cycles(text) == 103 + 128 + 1);  // the start is a time and stays
}

TEST_CASE("a matmul takes no less than its least, and no more than its rows beyond that") {
  Machine m(plain, HDL_MODE_TIMING, {"core.mxu.least_stream_cycles=64"});
  CHECK(m.cycles(product(1, one_product)) == 4 + 16 + 64 + 30 + 1);
  CHECK(m.cycles(product(64, one_product)) == 4 + 16 + 64 + 30 + 1);
  CHECK(m.cycles(product(65, one_product)) == 4 + 16 + 65 + 30 + 1);
}

TEST_CASE("where the array's time went") {
  Machine m(plain, HDL_MODE_TIMING);
  // Loads in [4, 20) and, beside the rows of [20, 36), in [20, 36) (issue_cycles: 21, so one cycle shows); the third
  // waits for the vector unit's post at 2 + 4 + 16 = 22 but for the set too, so no time is lost to the semaphore.
  CHECK(m.cycles(product(16,
                         "mxu.load v1\nmxu.matmul v3, v2\nmxu.load v1\nmxu.matmul v3, v2 post s0\n"
                         "sem.wait s0, 1\nhalt")) != 0);
  CHECK(m.counter("core0.mxu0.streaming") == 32);
  CHECK(m.counter("core0.mxu0.loading") == 16 + 1);
  CHECK(m.counter("core0.mxu0.weight_waiting") == 0);
}

TEST_CASE("an array that stands before a load which waits for its weights says so") {
  Machine m(plain, HDL_MODE_TIMING);
  // The relu of 256 elements runs in [4, 12); the load, in the queue at 5, waits for it until 12.
  CHECK(m.cycles(product(16,
                         "vpu.relu v3, v3 post s1\nmxu.load v1 wait s1\nmxu.matmul v3, v2 post s0\n"
                         "sem.wait s0, 1\nhalt")) == 4 + 8 + 62 + 1);
  CHECK(m.counter("core0.mxu0.weight_waiting") == 7);
  CHECK(m.counter("core0.mxu0.loading") == 16);
  CHECK(m.counter("core0.mxu0.streaming") == 16);
}

TEST_CASE("two sources of the result's shape share a port, where the unit has but one") {
  config::VpuSpec vpu;
  vpu.lanes = 16;
  vpu.sublanes = 4;  // 8 x 16 elements are two passes
  exec::EngineOp op;
  op.unit = isa::Unit::vpu;
  op.op = isa::Opcode::vpu_add;
  op.vd = op.va = op.vb = tile(DType::fp32);
  CHECK(compute::vpu_body_cycles(vpu, op) == 2);
  vpu.two_sources = {1, 2};
  CHECK(compute::vpu_body_cycles(vpu, op) == 4);
  op.vb = tile(DType::fp32, 1);  // a row that repeats is no second tile
  CHECK(compute::vpu_body_cycles(vpu, op) == 2);
  op.op = isa::Opcode::vpu_div;  // slower than the port anyway
  op.vb = op.va;
  CHECK(compute::vpu_body_cycles(vpu, op) == 8);
}

TEST_CASE("a dtype that the unit converts in software bounds its passes") {
  config::VpuSpec vpu;
  vpu.lanes = 16;
  vpu.sublanes = 4;
  vpu.read[static_cast<std::size_t>(DType::fp16)] = {1, 4};
  vpu.write[static_cast<std::size_t>(DType::fp16)] = {1, 6};
  exec::EngineOp op;
  op.unit = isa::Unit::vpu;
  op.op = isa::Opcode::vpu_mov;
  op.vd = op.va = tile(DType::bf16);
  CHECK(compute::vpu_body_cycles(vpu, op) == 2);
  op.va = tile(DType::fp16);
  CHECK(compute::vpu_body_cycles(vpu, op) == 8);
  op.vd = tile(DType::fp16);
  CHECK(compute::vpu_body_cycles(vpu, op) == 12);
  op.va = tile(DType::fp32);
  CHECK(compute::vpu_body_cycles(vpu, op) == 12);
}
