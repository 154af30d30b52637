// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

std::uint32_t raw(float f) { return std::bit_cast<std::uint32_t>(f); }
std::uint32_t raw(double d) { return raw(static_cast<float>(d)); }

}  // namespace

TEST_CASE("fused: function of a scaled and biased source, rows reduced before rounding") {
  Rig rig;
  const View a = spm(DType::fp32, 0, {2, 3});
  rig.put(a, {1, 2, 3, 4, 5, 6});
  rig.put(spm(DType::fp32, 256, {2, 1}), {-1, -2});
  EngineOp op = make(Opcode::vpu_fused, spm(DType::bf16, 512, {2, 3}), a, spm(DType::fp32, 256, {2, 1}),
                     spm(DType::fp32, 768, {2, 1}));
  op.scalar = raw(0.1f);
  op.has_bias = true;
  op.has_row = true;
  op.reduce = isa::RowReduce::sum;
  op.fn = isa::VpuFn::square;
  rig.run(op);
  for (std::uint32_t i = 0; i < 2; ++i) {
    float want_sum = 0;
    for (std::uint32_t j = 0; j < 3; ++j) {
      const float t = std::fma(static_cast<float>(rig.get(a, {i, j, 0, 0})), 0.1f, i == 0 ? -1.0f : -2.0f);
      REQUIRE(rig.get(op.vd, {i, j, 0, 0}) == bf16_to_fp32(fp32_to_bf16(t * t)));
      if (j == 0) want_sum = t * t;
    }
    // Partials 0, 1, 2 fold as (p0 + p2) + p1.
    const auto value = [&](std::uint32_t j) {
      const float t = std::fma(static_cast<float>(rig.get(a, {i, j, 0, 0})), 0.1f, i == 0 ? -1.0f : -2.0f);
      return t * t;
    };
    want_sum = (value(0) + value(2)) + value(1);
    REQUIRE(raw(rig.get(op.vc, {i, 0, 0, 0})) == raw(want_sum));
  }
  op.reduce = isa::RowReduce::max;
  op.has_bias = false;
  op.fn = isa::VpuFn::identity;
  op.vc = view(Space::smem, DType::fp32, 0, {2, 1});
  rig.run(op);
  REQUIRE(rig.all(op.vc) == std::vector<double>{3 * 0.1f, 6 * 0.1f});
}

TEST_CASE("fused on integers is a float operation") {
  Rig rig;
  const View a = spm(DType::int32, 0, {3});
  rig.put(a, {100, -250, 7});
  EngineOp op = make(Opcode::vpu_fused, spm(DType::int8, 64, {3}), a);
  op.scalar = raw(0.5f);
  rig.run(op);
  REQUIRE(rig.all(op.vd) == std::vector<double>{50, -125, 4});  // 3.5 goes to the even 4
}
