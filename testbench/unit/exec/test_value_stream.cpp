// SPDX-License-Identifier: Apache-2.0
#include "isa/base/error.hpp"
#include "sim/exec/value_stream.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;
using exec::ValueStream;

namespace {

isa::ProgramImage image_of(std::size_t instructions) {
  isa::ProgramImage image;
  image.code.assign(instructions, isa::Word{0x54, 0});  // dma.fill
  return image;
}

}  // namespace

TEST_CASE("a long chain of dependent instructions through a small ring") {
  const unsigned threads = GENERATE(1u, 2u, 8u);
  Rig rig;
  ValueStream stream(rig.executor, 2, threads, 4);
  REQUIRE(stream.threaded() == (threads != 1));
  const isa::ProgramImage image = image_of(1);
  stream.begin_launch(&image);
  const View x = spm(DType::int32, 0, {1});
  rig.put(x, {0});
  EngineOp add = make(Opcode::vpu_add_i, x, x);
  add.scalar = 1;
  for (int i = 0; i < 20000; ++i) stream.submit(add);
  stream.sync();
  REQUIRE(rig.all(x)[0] == 20000);
  stream.sync();  // nothing left to do
}

TEST_CASE("parking and waking: pauses on both sides") {
  Rig rig;
  ValueStream stream(rig.executor, 2, 2, 4);
  const View x = spm(DType::int32, 0, {1});
  rig.put(x, {0});
  EngineOp add = make(Opcode::vpu_add_i, x, x);
  add.scalar = 1;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stream.submit(add);
    if (i % 3 == 0) stream.sync();
  }
  stream.sync();
  REQUIRE(rig.all(x)[0] == 20);
}

TEST_CASE("the first error in order, located, again at every sync, until the next launch") {
  Rig rig;
  ValueStream stream(rig.executor, 2, 2);
  const isa::ProgramImage image = image_of(10);
  stream.begin_launch(&image);
  const View x = spm(DType::fp32, 0, {4});
  const View never = spm(DType::fp32, 4096, {4});
  EngineOp good = make(Opcode::dma_fill, x);
  EngineOp bad = make(Opcode::vpu_neg, x, never);
  bad.pc = 3;
  EngineOp worse = bad;
  worse.pc = 5;
  stream.submit(good, 10);
  stream.submit(bad, 20);
  stream.submit(worse, 30);
  REQUIRE_THROWS_WITH(stream.sync(), contains("HDL-EXEC-02") && contains("instruction 3, core 0, cycle 20"));
  REQUIRE_THROWS_WITH(stream.sync(), contains("instruction 3"));
  stream.submit(good);
  REQUIRE_THROWS_WITH(stream.sync_smem(0), contains("instruction 3"));
  stream.begin_launch(&image);
  stream.submit(good);
  REQUIRE_NOTHROW(stream.sync());
}

TEST_CASE("without a worker an instruction throws where it is submitted") {
  Rig rig;
  ValueStream stream(rig.executor, 2, 1);
  const isa::ProgramImage image = image_of(10);
  stream.begin_launch(&image);
  const EngineOp bad = make(Opcode::vpu_neg, spm(DType::fp32, 0, {4}), spm(DType::fp32, 4096, {4}));
  REQUIRE_THROWS_WITH(stream.submit(bad, 7), contains("cycle 7"));
  REQUIRE_THROWS_WITH(stream.submit(bad, 8), contains("cycle 7"));
  REQUIRE_THROWS_WITH(stream.sync(), contains("cycle 7"));
}

TEST_CASE("sync_smem waits for instructions that touch this core's SMEM") {
  Rig rig;
  ValueStream stream(rig.executor, 2, 2);
  const View x = spm(DType::fp32, 0, {1 << 16});
  const View out = view(Space::smem, DType::int32, 0, {1});
  EngineOp fill = make(Opcode::dma_fill, x);
  EngineOp arg = make(Opcode::vpu_argmax, out, x);
  for (int i = 0; i < 20; ++i) {
    rig.memory.data(Space::smem, 0, 0)[0] = 99;
    stream.submit(fill);
    stream.submit(arg);
    stream.sync_smem(0);
    REQUIRE(rig.all(out)[0] == 0);
    stream.sync();
  }
}
