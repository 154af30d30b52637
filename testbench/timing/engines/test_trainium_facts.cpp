// SPDX-License-Identifier: Apache-2.0
// The shipped Trainium cores against what their guide and their users say of them, worked out by hand: how many cycles
// of which engine an instruction takes.
#include <cmath>
#include <string>

#include "sim/compute/vpu_timing.hpp"
#include "sim/config/load_chip.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::Machine;

namespace {

// `count` matmuls of n rows back to back on one stationary tile.
std::string matmuls(int count, int n, const std::string& dtype = "bf16") {
  const std::string shape = "[" + std::to_string(n) + ", 128]";
  std::string text = ".view w, spm, " + dtype + ", [128, 128]\n.view a, spm, " + dtype + ", " + shape +
                     ", base=131072\n.view c, acc, fp32, " + shape +
                     "\nview v1, w\nview v2, a\nview v3, c\nmxu.load v1\n";
  for (int i = 1; i < count; ++i) text += "mxu.matmul v3, v2\n";
  return text + "mxu.matmul v3, v2 post s0\nsem.wait s0, 1\nhalt";
}

std::int64_t interval(const std::string& chip, int n, const std::string& dtype = "bf16") {
  Machine m(chip, HDL_MODE_TIMING, {"launch_overhead=0"});
  const auto ten = static_cast<std::int64_t>(m.cycles(matmuls(10, n, dtype)));
  return (static_cast<std::int64_t>(m.cycles(matmuls(20, n, dtype))) - ten) / 10;
}

std::int64_t vector_cycles(const std::string& chip, isa::Opcode what, DType dtype, std::uint32_t n) {
  exec::EngineOp op;
  op.unit = isa::Unit::vpu;
  op.op = what;
  op.vd.space = isa::Space::spm;
  op.vd.dtype = dtype;
  op.vd.rank = 2;
  op.vd.size = {128, n};
  op.vd.stride = {n, 1};
  op.va = op.vb = op.vd;
  return compute::vpu_body_cycles(config::load_chip(chip).core.vpu, op);
}

}  // namespace

TEST_CASE("a matmul is issued every max(N, 64) cycles, fp32 every 4 N") {
  const std::string chip = GENERATE("trainium1-core", "trainium2-core");
  CAPTURE(chip);
  CHECK(interval(chip, 512) == 512);
  CHECK(interval(chip, 65) == 65);
  CHECK(interval(chip, 64) == 64);
  CHECK(interval(chip, 16) == 64);
  CHECK(interval(chip, 128, "fp32") == 512);
}

TEST_CASE("a stationary load is four times as fast as a matmul of as many rows, and hides behind one") {
  Machine m("trainium1-core", HDL_MODE_TIMING, {"launch_overhead=0"});
  const std::string head =
      ".view w, spm, bf16, [128, 128]\n.view a, spm, bf16, [512, 128], base=131072\n.view c, acc, fp32, [512, 128]\n"
      "view v1, w\nview v2, a\nview v3, c\n";
  const std::string pair = "mxu.load v1\nmxu.matmul v3, v2\n";
  const std::string end = "mxu.sync post s0\nsem.wait s0, 1\nhalt";
  const auto one = m.cycles(head + pair + end);
  CHECK(one == 4 + 128 / 4 + 512 + 254 + 32 + 1);  // load, rows, drain, the scratchpad's latency
  CHECK(m.cycles(head + pair + pair + pair + end) == one + 2 * 512);
}

TEST_CASE("a vector instruction takes N cycles, 2 N with two tiles, and about 60 to start") {
  using isa::Opcode;
  CHECK(config::load_chip("trainium1-core").core.vpu.start_cycles == 60);
  CHECK(vector_cycles("trainium1-core", Opcode::vpu_relu, DType::fp32, 512) == 512);
  CHECK(vector_cycles("trainium1-core", Opcode::vpu_relu, DType::bf16, 512) == 512);
  CHECK(vector_cycles("trainium1-core", Opcode::vpu_add, DType::bf16, 512) == 1024);
  CHECK(vector_cycles("trainium1-core", Opcode::vpu_exp, DType::fp32, 512) == 410);  // the scalar engine's 1.4 GHz
  // Trainium 2: four times the rate in bf16, twice with two tiles; fp32 as before with one tile.
  CHECK(vector_cycles("trainium2-core", Opcode::vpu_relu, DType::bf16, 512) == 128);
  CHECK(vector_cycles("trainium2-core", Opcode::vpu_add, DType::bf16, 512) == 512);
  CHECK(vector_cycles("trainium2-core", Opcode::vpu_relu, DType::fp32, 512) == 512);
}

TEST_CASE("vector cycles are of the vector engine's clock") {
  Machine m("trainium1-core", HDL_MODE_TIMING, {"launch_overhead=0", "core.scratchpad.latency=0"});
  const std::string text = ".view a, acc, fp32, [128, 512]\nview v1, a\nvpu.relu v1, v1 post s0\nsem.wait s0, 1\nhalt";
  // 572 cycles of 1.12 GHz are 1430 of 2.8 GHz; two instructions before, one after.
  CHECK(m.cycles(text) == 2 + 572 * 28 / 11.2 + 1);
}

TEST_CASE("a transfer takes 1.3 us to start, and an engine moves 17 bytes a nanosecond") {
  Machine m("trainium1-core", HDL_MODE_TIMING, {"launch_overhead=0"});
  const auto copy = [](int rows) {
    return ".view a, hbm, bf16, [" + std::to_string(rows) + ", 2048]\n.view b, spm, bf16, [" + std::to_string(rows) +
           ", 2048]\nview v1, a\nview v2, b\ndma.copy v2, v1 post s0\nsem.wait s0, 1\nhalt";
  };
  const auto ns = [&](int rows) { return static_cast<double>(m.cycles(copy(rows))) / 2.8; };
  CHECK(ns(1) > 1300);
  CHECK(ns(1) < 1300 + 4096 / 17.0 + 200);  // and the way to the memory and back
  const double mebibyte = ns(257) - ns(1);
  CHECK(mebibyte == Approx(1048576 / 17.0).epsilon(0.03));  // 512 bytes are 31 cycles of 17, not 30.1
}
