// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
const float nan_ = std::numeric_limits<float>::quiet_NaN();

std::uint32_t raw(float f) { return std::bit_cast<std::uint32_t>(f); }
std::uint32_t raw(double d) { return raw(static_cast<float>(d)); }

// IEEE 754-2019 maximumNumber and minimumNumber.
float max_number(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
float min_number(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

using Two = std::function<float(float, float)>;
const std::map<Opcode, Two> two_operand{
    {Opcode::vpu_add, [](float a, float b) { return a + b; }},
    {Opcode::vpu_sub, [](float a, float b) { return a - b; }},
    {Opcode::vpu_mul, [](float a, float b) { return a * b; }},
    {Opcode::vpu_div, [](float a, float b) { return a / b; }},
    {Opcode::vpu_max, max_number},
    {Opcode::vpu_min, min_number},
    {Opcode::vpu_lt, [](float a, float b) { return a < b ? 1.0f : 0.0f; }},
    {Opcode::vpu_le, [](float a, float b) { return a <= b ? 1.0f : 0.0f; }},
    {Opcode::vpu_eq, [](float a, float b) { return a == b ? 1.0f : 0.0f; }},
    {Opcode::vpu_ne, [](float a, float b) { return a != b ? 1.0f : 0.0f; }},
};

// What the destination would hold.
float stored(DType t, float f) {
  static Rig rig;
  const View v = spm(t, 0, {2});
  rig.set(v, {0, 0, 0, 0},
          t == DType::int4 ? std::nearbyint(std::isnan(f) ? 0.0f : std::min(7.0f, std::max(-8.0f, f))) : f);
  return static_cast<float>(rig.get(v, {0, 0, 0, 0}));
}

bool same(float got, float want) { return std::isnan(want) ? raw(got) == 0x7fc00000 : raw(got) == raw(want); }

constexpr DType all_types[] = {DType::fp32,     DType::bf16,  DType::fp16, DType::fp8_e4m3,
                               DType::fp8_e5m2, DType::int32, DType::int8, DType::int4};

std::vector<double> unary(Opcode op, const std::vector<float>& in, DType to = DType::fp32, DType from = DType::fp32) {
  Rig rig;
  const auto n = static_cast<std::uint32_t>(in.size());
  rig.put(spm(from, 0, {n}), in);
  rig.run(make(op, spm(to, 4096, {n}), spm(from, 0, {n})));
  return rig.all(spm(to, 4096, {n}));
}

}  // namespace

TEST_CASE("two operands over every pair of special values") {
  const std::vector<float> special{0.0f, -0.0f, 1.0f, -1.0f, 2.5f, inf, -inf, nan_, 1e-40f, -1e-40f, 3e38f, 0x1p-126f};
  for (const auto& [op, want] : two_operand)
    for (float a : special)
      for (float b : special) {
        Rig rig;
        rig.put(spm(DType::fp32, 0, {1}), {a});
        rig.put(spm(DType::fp32, 64, {1}), {b});
        rig.run(make(op, spm(DType::fp32, 128, {1}), spm(DType::fp32, 0, {1}), spm(DType::fp32, 64, {1})));
        INFO(isa::info(op).mnemonic << " " << a << " " << b);
        REQUIRE(same(static_cast<float>(rig.all(spm(DType::fp32, 128, {1}))[0]), want(a, b)));
      }
}

TEST_CASE("random shapes, strides, repeats and dtypes against one element at a time") {
  Random random;
  std::vector<std::pair<Opcode, Two>> ops(two_operand.begin(), two_operand.end());
  for (int round = 0; round < 400; ++round) {
    Rig rig;
    const auto& [op, want] = ops[random.below(static_cast<std::uint32_t>(ops.size()))];
    const std::uint32_t rank = 1 + random.below(4);
    std::vector<std::uint32_t> size;
    for (std::uint32_t d = 0; d < rank; ++d) size.push_back(1 + random.below(d + 1 == rank ? 40 : 4));
    if (round % 20 == 0) size.back() = 1000 + random.below(1200);  // longer than a buffer
    const auto any = [&](std::uint64_t base, bool may_repeat) {
      const DType t = all_types[random.below(8)];
      std::vector<std::uint32_t> s = size;
      if (may_repeat)
        for (std::uint32_t& n : s)
          if (random.below(4) == 0) n = 1;
      if (may_repeat && random.below(4) == 0 && s.size() > 1) s.erase(s.begin());
      std::vector<std::int64_t> stride(s.size());
      std::int64_t step = t == DType::int4 ? 1 : 1 + random.below(3);
      for (std::size_t d = s.size(); d-- > 0;) {
        stride[d] = step;
        step = step * s[d] + random.below(3);
        if (t == DType::int4) step = (step + 1) / 2 * 2;
      }
      std::uint64_t at = base;
      if (t != DType::int4 && random.below(4) == 0) {  // backwards along the last dimension
        at += static_cast<std::uint64_t>(stride.back() * (s.back() - 1) * bits(t) / 8);
        stride.back() = -stride.back();
      }
      return spm(t, at, s, stride);
    };
    const View a = any(0, true);
    const View b = any(1 << 18, true);
    const View d = any(1 << 19, false);
    const auto values = [&](const View& v) {
      std::vector<float> out(v.elements());
      for (float& f : out)
        f = is_float(v.dtype) ? random.number() : static_cast<float>(static_cast<int>(random.below(15)) - 7);
      return out;
    };
    rig.put(a, values(a));
    rig.put(b, values(b));
    const bool integers = !is_float(a.dtype) && !is_float(b.dtype) && !is_float(d.dtype);
    if (integers && op == Opcode::vpu_div) continue;
    const auto source = [&](const View& v, const std::array<std::uint32_t, 4>& i) {
      std::array<std::uint32_t, 4> at{};
      for (std::size_t x = 0; x < v.rank; ++x) {
        const std::size_t from = x + size.size() - v.rank;
        at[x] = v.size[x] == 1 ? 0 : i[from];
      }
      return static_cast<float>(rig.get(v, at));
    };
    rig.run(make(op, d, a, b));
    Rig::each(d, [&](const auto& i) {
      const float x = source(a, i);
      const float y = source(b, i);
      const float expected = stored(d.dtype, want(x, y));
      const auto got = static_cast<float>(rig.get(d, i));
      if (!same(got, expected)) {
        INFO(isa::info(op).mnemonic << " " << x << " " << y << " to " << name(d.dtype) << ": " << got);
        REQUIRE(same(got, expected));
      }
    });
  }
}

TEST_CASE("conversions between all dtypes by mov") {
  const std::vector<float> values{0,   -0.0f, 1,      -1,   0.5f,  1.5f, 2.5f,  -2.5f,
                                  100, -129,  127.5f, 3e9f, -3e9f, 500,  70000, 1e-6f};
  for (DType from : all_types)
    for (DType to : all_types) {
      Rig rig;
      const auto n = static_cast<std::uint32_t>(values.size());
      const View a = spm(from, 0, {n});
      std::vector<float> in;
      for (float f : values) in.push_back(stored(from, f));
      rig.put(a, in);
      rig.run(make(Opcode::vpu_mov, spm(to, 4096, {n}), a));
      const auto got = rig.all(spm(to, 4096, {n}));
      for (std::size_t i = 0; i < n; ++i) {
        INFO(name(from) << " " << in[i] << " to " << name(to));
        if (from == DType::int32 && to == DType::int32)
          REQUIRE(got[i] == rig.get(a, {static_cast<std::uint32_t>(i), 0, 0, 0}));
        else
          REQUIRE(same(static_cast<float>(got[i]), stored(to, in[i])));
      }
    }
}

TEST_CASE("int32 that fp32 cannot hold: exact among integers, nearest even otherwise") {
  Rig rig;
  const View a = spm(DType::int32, 0, {2});
  const std::int32_t big[] = {16777217, 2147483647};
  std::memcpy(rig.memory.data(Space::spm, 0, 0), big, sizeof(big));
  rig.memory.mark_written({Space::spm, 0, 0, 0, 8});
  rig.run(make(Opcode::vpu_mov, spm(DType::int32, 64, {2}), a));
  REQUIRE(rig.all(spm(DType::int32, 64, {2})) == std::vector<double>{16777217, 2147483647});
  rig.run(make(Opcode::vpu_mov, spm(DType::fp32, 64, {2}), a));
  REQUIRE(rig.all(spm(DType::fp32, 64, {2})) == std::vector<double>{16777216, 2147483648.0});
}

TEST_CASE("one operand, by hand") {
  REQUIRE(unary(Opcode::vpu_neg, {1, -2, 0}) == std::vector<double>{-1, 2, 0});
  REQUIRE(unary(Opcode::vpu_abs, {1, -2, -inf}) == std::vector<double>{1, 2, inf});
  REQUIRE(unary(Opcode::vpu_relu, {1, -2, nan_}) == std::vector<double>{1, 0, 0});
  REQUIRE(unary(Opcode::vpu_floor, {1.5f, -1.5f, 3e9f, -0.5f}) == std::vector<double>{1, -2, 3e9f, -1});
  REQUIRE(unary(Opcode::vpu_round, {0.5f, 1.5f, 2.5f, -0.5f, -3.5f}) == std::vector<double>{0, 2, 2, 0, -4});
  REQUIRE(unary(Opcode::vpu_sqrt, {4, 2}) == std::vector<double>{2, std::sqrt(2.0f)});
  REQUIRE(unary(Opcode::vpu_rsqrt, {4, 0}) == std::vector<double>{0.5, inf});
  REQUIRE(unary(Opcode::vpu_recip, {3, 0, -0.0f}) == std::vector<double>{1.0f / 3.0f, inf, -inf});
  REQUIRE(unary(Opcode::vpu_exp, {0, -inf, inf, -200, 100}) == std::vector<double>{1, 0, inf, 0, inf});
  REQUIRE(unary(Opcode::vpu_log, {1, 0, inf}) == std::vector<double>{0, -inf, inf});
  REQUIRE(unary(Opcode::vpu_tanh, {0, inf, -inf, 20}) == std::vector<double>{0, 1, -1, 1});
  REQUIRE(unary(Opcode::vpu_erf, {0, inf, -inf}) == std::vector<double>{0, 1, -1});
  REQUIRE(unary(Opcode::vpu_sigmoid, {0, inf, -inf}) == std::vector<double>{0.5, 1, 0});
  REQUIRE(unary(Opcode::vpu_gelu, {0, inf, -20}) == std::vector<double>{0, inf, 0});
  REQUIRE(unary(Opcode::vpu_cos, {0}) == std::vector<double>{1});
  REQUIRE(raw(unary(Opcode::vpu_round, {-0.3f})[0]) == 0x80000000);
  for (Opcode op : {Opcode::vpu_log, Opcode::vpu_sqrt, Opcode::vpu_rsqrt})
    REQUIRE(raw(unary(op, {-1})[0]) == 0x7fc00000);
  for (Opcode op : {Opcode::vpu_neg, Opcode::vpu_abs, Opcode::vpu_exp, Opcode::vpu_log, Opcode::vpu_sqrt,
                    Opcode::vpu_rsqrt, Opcode::vpu_recip, Opcode::vpu_sigmoid, Opcode::vpu_tanh, Opcode::vpu_erf,
                    Opcode::vpu_silu, Opcode::vpu_gelu, Opcode::vpu_gelu_tanh, Opcode::vpu_sin, Opcode::vpu_cos,
                    Opcode::vpu_floor, Opcode::vpu_round, Opcode::vpu_mov}) {
    INFO(isa::info(op).mnemonic);
    REQUIRE(raw(unary(op, {-nan_})[0]) == 0x7fc00000);
  }
}

TEST_CASE("scalar forms") {
  Rig rig;
  const View a = spm(DType::fp32, 0, {4});
  rig.put(a, {1, 2, 3, nan_});
  const auto run = [&](Opcode op, float s) {
    EngineOp o = make(op, spm(DType::fp32, 64, {4}), a);
    o.scalar = raw(s);
    rig.run(o);
    auto out = rig.all(spm(DType::fp32, 64, {4}));
    out.pop_back();
    return out;
  };
  using V = std::vector<double>;
  REQUIRE(run(Opcode::vpu_add_i, 2) == V{3, 4, 5});
  REQUIRE(run(Opcode::vpu_sub_x, 2) == V{-1, 0, 1});
  REQUIRE(run(Opcode::vpu_rsub_i, 2) == V{1, 0, -1});
  REQUIRE(run(Opcode::vpu_mul_x, 2) == V{2, 4, 6});
  REQUIRE(run(Opcode::vpu_div_i, 2) == V{0.5, 1, 1.5});
  REQUIRE(run(Opcode::vpu_rdiv_i, 6) == V{6, 3, 2});
  REQUIRE(run(Opcode::vpu_max_x, 2) == V{2, 2, 3});
  REQUIRE(run(Opcode::vpu_min_i, 2) == V{1, 2, 2});
  REQUIRE(run(Opcode::vpu_lt_i, 2) == V{1, 0, 0});
  REQUIRE(run(Opcode::vpu_le_i, 2) == V{1, 1, 0});
  REQUIRE(run(Opcode::vpu_gt_i, 2) == V{0, 0, 1});
  REQUIRE(run(Opcode::vpu_ge_i, 2) == V{0, 1, 1});
  REQUIRE(run(Opcode::vpu_eq_i, 2) == V{0, 1, 0});
  REQUIRE(run(Opcode::vpu_ne_i, 2) == V{1, 0, 1});
  REQUIRE(rig.all(spm(DType::fp32, 64, {4}))[3] == 1);  // NaN != 2
}

TEST_CASE("all-integer operations wrap in int32 and saturate into what is narrower") {
  Rig rig;
  const View a = spm(DType::int32, 0, {3});
  const std::int32_t values[] = {2147483647, -2147483647 - 1, 100000};
  std::memcpy(rig.memory.data(Space::spm, 0, 0), values, sizeof(values));
  rig.memory.mark_written({Space::spm, 0, 0, 0, 12});
  EngineOp add = make(Opcode::vpu_add_i, spm(DType::int32, 64, {3}), a);
  add.scalar = 1;
  rig.run(add);
  REQUIRE(rig.all(add.vd) == std::vector<double>{-2147483648.0, -2147483647, 100001});
  EngineOp mul = make(Opcode::vpu_mul, spm(DType::int32, 64, {3}), a, a);
  rig.run(mul);
  REQUIRE(rig.all(mul.vd) == std::vector<double>{1, 0, 1410065408});
  rig.run(make(Opcode::vpu_abs, spm(DType::int8, 64, {3}), a));
  REQUIRE(rig.all(spm(DType::int8, 64, {3})) == std::vector<double>{127, -128, 127});
  // A float destination makes it a float operation.
  EngineOp wide = make(Opcode::vpu_add_i, spm(DType::fp32, 64, {3}), a);
  wide.scalar = raw(1.0f);
  rig.run(wide);
  REQUIRE(rig.all(wide.vd)[0] == 2147483648.0);
}

TEST_CASE("select, affine_select, iota") {
  Rig rig;
  const View mask = spm(DType::int8, 0, {2, 2});
  rig.put(mask, {1, 0, 0, -3});
  rig.put(spm(DType::fp32, 64, {2, 2}), {1, 2, 3, 4});
  rig.put(spm(DType::bf16, 128, {1}), {9});
  const View out = spm(DType::fp32, 256, {2, 2});
  rig.run(make(Opcode::vpu_select, out, mask, spm(DType::fp32, 64, {2, 2}), spm(DType::bf16, 128, {1})));
  REQUIRE(rig.all(out) == std::vector<double>{1, 9, 9, 4});
  SECTION("a mask of NaN chooses vb") {
    rig.put(spm(DType::fp32, 512, {2, 2}), {nan_, 0, -0.0f, inf});
    rig.run(make(Opcode::vpu_select, out, spm(DType::fp32, 512, {2, 2}), spm(DType::fp32, 64, {2, 2}),
                 spm(DType::bf16, 128, {1})));
    REQUIRE(rig.all(out) == std::vector<double>{1, 9, 9, 4});
  }
  SECTION("a causal mask over three rows of four, in two batches") {
    const View t = spm(DType::fp32, 1024, {2, 3, 4});
    rig.put(t, std::vector<float>(24, 1.0f));
    EngineOp op = make(Opcode::vpu_affine_select, t, t);
    op.offset = 1;  // keeps j <= i + 1
    op.coef_i = 1;
    op.coef_j = -1;
    op.scalar = raw(-inf);
    rig.run(op);
    Rig::each(t, [&](const auto& i) { REQUIRE(rig.get(t, i) == (i[2] <= i[1] + 1 ? 1.0 : -inf)); });
  }
  SECTION("rank 1: i is 0") {
    const View t = spm(DType::fp32, 1024, {4});
    rig.put(t, std::vector<float>(4, 1.0f));
    EngineOp op = make(Opcode::vpu_affine_select, t, t);
    op.offset = -2;
    op.coef_i = 100;
    op.coef_j = 1;
    rig.run(op);
    REQUIRE(rig.all(t) == std::vector<double>{0, 0, 1, 1});
  }
  SECTION("affine_select over rows longer than a buffer") {
    const View t = spm(DType::bf16, 4096, {3, 2500});
    rig.put(t, std::vector<float>(7500, 2.0f));
    EngineOp op = make(Opcode::vpu_affine_select, t, t);
    op.offset = 1200;
    op.coef_i = 50;
    op.coef_j = -1;
    rig.run(op);
    Rig::each(t, [&](const auto& i) { REQUIRE(rig.get(t, i) == (i[1] <= 1200 + 50 * i[0] ? 2.0 : 0.0)); });
  }
  SECTION("iota") {
    EngineOp op = make(Opcode::vpu_iota, spm(DType::int32, 1024, {2, 3}));
    op.offset = 10;
    op.step = -3;
    rig.run(op);
    REQUIRE(rig.all(op.vd) == std::vector<double>{10, 7, 4, 10, 7, 4});
    op.vd = spm(DType::int8, 1024, {3});
    op.offset = 126;
    op.step = 1;
    rig.run(op);
    REQUIRE(rig.all(op.vd) == std::vector<double>{126, 127, 127});
    op.vd = spm(DType::fp32, 1024, {2});
    op.offset = 16777217;
    rig.run(op);
    REQUIRE(rig.all(op.vd) == std::vector<double>{16777216, 16777218});
    op.vd = spm(DType::bf16, 8192, {2, 1500});
    op.offset = 0;
    op.step = 2;
    rig.run(op);
    REQUIRE(rig.get(op.vd, {1, 1400, 0, 0}) == bf16_to_fp32(fp32_to_bf16(2800)));
  }
}

TEST_CASE("in place, with one operand repeated") {
  Rig rig;
  const View a = spm(DType::bf16, 0, {3, 4});
  rig.put(a, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  rig.put(spm(DType::fp32, 256, {3, 1}), {10, 20, 30});
  rig.run(make(Opcode::vpu_add, a, a, spm(DType::fp32, 256, {3, 1})));
  REQUIRE(rig.all(a) == std::vector<double>{11, 12, 13, 14, 25, 26, 27, 28, 39, 40, 41, 42});
}

TEST_CASE("reading bytes that nobody wrote, in the middle of a row too") {
  Rig rig;
  rig.put(spm(DType::bf16, 0, {7}), {1, 2, 3, 4, 5, 6, 7});
  rig.put(spm(DType::bf16, 16, {4}), {1, 2, 3, 4});
  const View d = spm(DType::bf16, 1024, {12});
  REQUIRE_THROWS_WITH(rig.run(make(Opcode::vpu_neg, d, spm(DType::bf16, 0, {12}))),
                      contains("HDL-EXEC-02") && contains("byte 0xe"));
  REQUIRE_NOTHROW(rig.run(make(Opcode::vpu_neg, spm(DType::bf16, 1024, {4}), spm(DType::bf16, 0, {4}, {3}))));
  REQUIRE_THROWS_WITH(rig.run(make(Opcode::vpu_neg, spm(DType::bf16, 1024, {2}), spm(DType::bf16, 0, {2}, {7}))),
                      contains("byte 0xe"));
}
