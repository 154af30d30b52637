// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/timing_relevance.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;
using exec::needed_in_timing_mode;

TEST_CASE("control can depend on SMEM and on int32 that DMA moves") {
  const View smem = view(Space::smem, DType::int32, 0, {1});
  const View ints = spm(DType::int32, 0, {4});
  const View floats = spm(DType::fp32, 0, {4});
  REQUIRE(needed_in_timing_mode(make(Opcode::vpu_argmax, smem, floats)));
  REQUIRE(needed_in_timing_mode(make(Opcode::dma_copy, ints, ints)));
  REQUIRE(needed_in_timing_mode(make(Opcode::vpu_topk, floats, floats, {}, smem)));
  REQUIRE_FALSE(needed_in_timing_mode(make(Opcode::vpu_topk, floats, floats, {}, ints)));
  REQUIRE_FALSE(needed_in_timing_mode(make(Opcode::dma_copy, floats, floats)));
  REQUIRE_FALSE(needed_in_timing_mode(make(Opcode::vpu_add, ints, ints, ints)));
  REQUIRE_FALSE(needed_in_timing_mode(make(Opcode::mxu_matmul, floats, floats)));
  REQUIRE_FALSE(needed_in_timing_mode(make(Opcode::dma_sync, {})));
}
