// SPDX-License-Identifier: Apache-2.0
// Queues, semaphores, fences and the scratchpad's banks in cycles, worked out by hand.
#include <string>

#include "sim/compute/spm_traffic.hpp"
#include "sim/compute/vpu_timing.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::Machine;

namespace {

const std::string plain = HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml";

isa::View view(std::initializer_list<std::uint32_t> size, DType dtype = DType::fp32,
               std::initializer_list<std::int64_t> stride = {}) {
  isa::View v;
  v.space = isa::Space::spm;
  v.dtype = dtype;
  v.rank = static_cast<std::uint8_t>(size.size());
  std::copy(size.begin(), size.end(), v.size.begin());
  std::int64_t step = 1;
  for (int d = v.rank - 1; d >= 0; --d) {
    v.stride[static_cast<std::size_t>(d)] = step;
    step *= v.size[static_cast<std::size_t>(d)];
  }
  if (stride.size() != 0) std::copy(stride.begin(), stride.end(), v.stride.begin());
  return v;
}

}  // namespace

TEST_CASE("a full queue stalls the sequencer until an entry starts, and not a cycle longer") {
  Machine m(plain, HDL_MODE_TIMING);
  // Each relu of 256 elements takes 4 + 256 / 64 = 8 cycles; they start at 2, 10, 18, ... With 4 places the sixth
  // (ready at 7) enters when the second starts, at 10, the seventh (11) when the third does, at 18.
  std::string text = ".view a, acc, fp32, [16, 16]\nview v1, a\n";
  for (int i = 0; i < 7; ++i) text += "vpu.relu v1, v1\n";
  CHECK(m.cycles(text + "halt") == 2 + 7 * 8);
  CHECK(m.counter("core0.sequencer.queue_full") == 3 + 7);
  CHECK(m.counter("core0.vpu0.busy") == 7 * 8);
  CHECK(m.counter("core0.vpu0.waiting") == 0);
}

TEST_CASE("a deeper queue stalls later") {
  Machine m(plain, HDL_MODE_TIMING, {"core.sequencer.queue_depth=6"});
  std::string text = ".view a, acc, fp32, [16, 16]\nview v1, a\n";
  for (int i = 0; i < 7; ++i) text += "vpu.relu v1, v1\n";
  CHECK(m.cycles(text + "halt") == 2 + 7 * 8);
  CHECK(m.counter("core0.sequencer.queue_full") == 0);  // the seventh is ready at 8, the first started at 2
}

TEST_CASE("scalar instructions cost what the chip says") {
  Machine m(plain, HDL_MODE_TIMING,
            {"core.sequencer.divide_cycles=16", "core.sequencer.branch_taken_cycles=2",
             "core.sequencer.smem_load_cycles=2", "core.sequencer.multiply_cycles=3"});
  CHECK(m.cycles("halt") == 1);
  CHECK(m.cycles("nop\nhalt") == 2);
  CHECK(m.cycles("li x1, 7\ndiv x2, x1, x1\nmul x2, x1, x1\nhalt") == 1 + 16 + 3 + 1);
  CHECK(m.cycles("beq x0, x0, 2\nnop\nhalt") == 2 + 1);
  CHECK(m.cycles("bne x0, x0, 2\nnop\nhalt") == 1 + 1 + 1);
}

TEST_CASE("fence waits for every engine, halt does not, the launch does") {
  Machine m(plain, HDL_MODE_TIMING);
  const std::string head = ".view a, acc, fp32, [16, 16]\nview v1, a\nvpu.relu v1, v1\n";
  CHECK(m.cycles(head + "fence\nhalt") == 2 + 8 + 1);
  CHECK(m.counter("core0.sequencer.fence") == 7);  // from the end of its own cycle, 3, to 10
  CHECK(m.cycles(head + "halt") == 2 + 8);
}

TEST_CASE("an engine waits for a semaphore and takes it when it is posted") {
  Machine m(plain, HDL_MODE_TIMING);
  // The vpu's first is done at 10 and posts; the mxu.sync that waits for it posts at once; the wait ends at 10.
  CHECK(m.cycles(".view a, acc, fp32, [16, 16]\nview v1, a\nvpu.relu v1, v1 post s1\nmxu.sync wait s1, post s2\n"
                 "sem.wait s2, 1\nhalt") == 10 + 1);
  CHECK(m.counter("core0.mxu0.waiting") == 7);
  CHECK(m.counter("core0.sequencer.sem_wait") == 6);  // from 4 to 10
}

TEST_CASE("what is behind an mxu.sync starts no earlier than what the sync waited for") {
  Machine m(plain, HDL_MODE_TIMING);
  // The relu runs in [5, 13) and posts; the sync, in the queue at 6, waits until then; load in [13, 29), rows in
  // [29, 45), out at 75. Were the load to pass the sync, it would start at 7 and all be over six cycles sooner.
  CHECK(m.cycles(".view w, spm, bf16, [16, 16]\n.view a, spm, bf16, [16, 16], base=8192\n.view c, acc, fp32, [16, 16]\n"
                 ".view d, acc, fp32, [16, 16], base=1024\nview v1, w\nview v2, a\nview v3, c\nview v4, d\n"
                 "vpu.relu v4, v4 post s1\nmxu.sync wait s1\nmxu.load v1\nmxu.matmul v3, v2 post s0\n"
                 "sem.wait s0, 1\nhalt") == 5 + 8 + 62 + 1);
}

TEST_CASE("several waiters on one semaphore take it in simulated time") {
  Machine m(plain, HDL_MODE_TIMING);
  // Both engines want s1; the vpu is busy until 10, the mxu is free: it takes the first count (posted at 4), the vpu
  // the second (posted at 5) once it is free.
  CHECK(m.cycles(".view a, acc, fp32, [16, 16]\nview v1, a\nvpu.relu v1, v1\nsem.post s1, 1\nsem.post s1, 1\n"
                 "vpu.sync wait s1, post s2\nmxu.sync wait s1, post s3\nsem.wait s3, 1\nsem.wait s2, 1\nhalt") == 11);
}

TEST_CASE("VPU passes") {
  config::VpuSpec vpu;
  vpu.lanes = 16;
  vpu.sublanes = 4;
  CHECK(compute::vpu_row_passes(vpu, 1, 1) == 1);
  CHECK(compute::vpu_row_passes(vpu, 1, 65) == 2);  // one row over all sublanes: 64 a pass
  CHECK(compute::vpu_row_passes(vpu, 2, 65) == 3);  // two sublanes each: 32 a pass
  CHECK(compute::vpu_row_passes(vpu, 3, 16) == 1);
  CHECK(compute::vpu_row_passes(vpu, 5, 17) == 4);  // two groups of rows, two passes a row
  CHECK(compute::vpu_row_passes(vpu, 0, 17) == 0);
  exec::EngineOp op;
  op.unit = isa::Unit::vpu;
  op.op = isa::Opcode::vpu_add;
  op.vd = op.va = op.vb = view({5, 17});
  CHECK(compute::vpu_body_cycles(vpu, op) == 2);  // dense: 85 elements at 64 a cycle
  op.vb = view({5, 1});
  CHECK(compute::vpu_body_cycles(vpu, op) == 4);  // one operand repeats: by rows
  op.op = isa::Opcode::vpu_exp;
  CHECK(compute::vpu_body_cycles(vpu, op) == 8);  // a quarter of the rate
  op.op = isa::Opcode::vpu_sum;
  op.vd = view({5, 1});
  CHECK(compute::vpu_body_cycles(vpu, op) == 4 + 4);  // and a tree over 16 lanes
  op.op = isa::Opcode::vpu_topk;
  op.vd = op.vc = view({5, 3});
  CHECK(compute::vpu_body_cycles(vpu, op) == 4 * 3 * 8 + 4);
  op.va = view({5, 0});
  CHECK(compute::vpu_body_cycles(vpu, op) == 0);
}

TEST_CASE("bank conflicts follow the strides") {
  config::ScratchpadSpec spm;
  spm.banks = 16;
  spm.width_bytes = 64;
  const auto cycles = [&](const isa::View& v) { return compute::spm_access(spm, v).cycles; };
  CHECK(cycles(view({256})) == 1);  // 1024 bytes, one word in each bank
  CHECK(cycles(view({257})) == 2);
  CHECK(cycles(view({64, 256})) == 64);
  CHECK(cycles(view({64, 16}, DType::fp32, {256, 1})) == 64);      // rows all begin in bank 0
  CHECK(cycles(view({64, 16}, DType::fp32, {272, 1})) == 4);       // one word on: 16 banks in turn
  CHECK(cycles(view({64, 16}, DType::fp32, {512 + 32, 1})) == 8);  // two words on: 8 banks
  CHECK(cycles(view({64, 4}, DType::fp32, {8, 1})) == 4);          // half a word on: 32 words, so all banks in turn
  CHECK(cycles(view({64}, DType::fp32, {256})) == 64);             // a column: one bank
  CHECK(cycles(view({64}, DType::fp32, {272})) == 4);
  CHECK(cycles(view({64}, DType::fp32, {0})) == 1);        // one word again and again
  CHECK(cycles(view({64, 1}, DType::fp32, {4, 1})) == 4);  // rows shorter than a word walk through all banks
  CHECK(cycles(view({0})) == 0);
}

TEST_CASE("an access that starts gets what the others leave, and its fair share at least") {
  config::ScratchpadSpec spm;
  spm.banks = 16;
  spm.width_bytes = 64;
  const TimeFs period(1'000'000);
  const auto at = [&](std::int64_t cycle) { return period * cycle; };
  compute::SpmTraffic traffic(spm, 4, period);
  CHECK(traffic.reserve(1, 160, 20, at(0), period) == 20);   // 512 bytes a cycle for 20 cycles
  CHECK(traffic.reserve(2, 160, 10, at(5), period) == 20);   // wants 1024, gets 512
  CHECK(traffic.reserve(3, 160, 10, at(19), period) == 31);  // nothing is left: a third, 341 a cycle
  CHECK(traffic.reserve(3, 160, 10, at(60), period) == 10);  // alone again
  CHECK(traffic.stretched() == period * 31);
}
