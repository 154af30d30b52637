// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

View acc(DType t, std::uint64_t base, std::vector<std::uint32_t> size, std::vector<std::int64_t> stride = {}) {
  return view(Space::acc, t, base, std::move(size), std::move(stride));
}

// The rule as docs/isa/semantics.md states it, one output after the other.
float chain(Rig& rig, const View& a, const View& w, bool transposed, std::uint32_t i, std::uint32_t j,
            std::uint32_t k) {
  float s = 0;
  for (std::uint32_t x = 0; x < k; ++x) {
    const double weight = transposed ? rig.get(w, {j, x, 0, 0}) : rig.get(w, {x, j, 0, 0});
    s = std::fma(static_cast<float>(rig.get(a, {i, x, 0, 0})), static_cast<float>(weight), s);
  }
  return s;
}

std::uint32_t bits_of(double d) { return std::bit_cast<std::uint32_t>(static_cast<float>(d)); }

}  // namespace

TEST_CASE("two by two by hand") {
  Rig rig;
  const View w = spm(DType::bf16, 0, {2, 2});
  const View a = spm(DType::bf16, 64, {1, 2});
  const View c = acc(DType::fp32, 0, {1, 2});
  rig.put(w, {1, 2, 3, 4});
  rig.put(a, {10, 1});
  rig.run(make(Opcode::mxu_load, {}, w));
  EngineOp mm = make(Opcode::mxu_matmul, c, a);
  rig.run(mm);
  REQUIRE(rig.all(c) == std::vector<double>{13, 24});
  mm.accumulate = true;
  rig.run(mm);
  REQUIRE(rig.all(c) == std::vector<double>{26, 48});
  EngineOp turned = make(Opcode::mxu_load, {}, w);
  turned.transposed = true;
  rig.run(turned);
  mm.accumulate = false;
  rig.run(mm);
  REQUIRE(rig.all(c) == std::vector<double>{12, 34});
}

TEST_CASE("one rounding a step, in rising k, then one to the accumulator") {
  Rig rig;
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24; the product's last bit counts only because it is not rounded before the sum.
  const float x = 1.0f + 0x1p-12f;
  const View w = spm(DType::fp32, 0, {2, 1});
  const View a = spm(DType::fp32, 64, {1, 2});
  const View c = acc(DType::fp32, 0, {1, 1});
  rig.put(w, {-1.0f, x});
  rig.put(a, {1.0f, x});
  rig.run(make(Opcode::mxu_load, {}, w));
  EngineOp mm = make(Opcode::mxu_matmul, c, a);
  rig.run(mm);
  REQUIRE(rig.all(c)[0] == 0x1p-11 + 0x1p-24);
  // The tile's sum is rounded before it meets the accumulator: 2^24 + (1 + 1) would be exact, 2^24 + 1 + 1 is not.
  rig.put(c, {0x1p24f});
  rig.put(w, {1.0f, 1.0f});
  rig.put(a, {1.0f, 1.0f});
  rig.run(make(Opcode::mxu_load, {}, w));
  mm.accumulate = true;
  rig.run(mm);
  REQUIRE(rig.all(c)[0] == 0x1p24 + 2);
}

TEST_CASE("random shapes, dtypes and layouts: the same bits as the plain chain") {
  Random random;
  const DType types[] = {DType::fp32, DType::bf16, DType::fp16, DType::fp8_e4m3, DType::fp8_e5m2};
  for (int round = 0; round < 150; ++round) {
    Rig rig;
    const DType t = types[random.below(5)];
    const std::uint32_t m = 1 + random.below(round % 10 == 0 ? 200 : 14);
    const std::uint32_t k = 1 + random.below(64);
    const std::uint32_t n = 1 + random.below(48);
    const bool transposed = random.below(2) != 0;
    const bool odd_layout = random.below(3) == 0;
    const auto step = [&](std::uint32_t columns) { return static_cast<std::int64_t>(columns + random.below(5)); };
    const std::uint32_t w_rows = transposed ? n : k;
    const std::uint32_t w_columns = transposed ? k : n;
    const View w = odd_layout ? spm(t, 1024, {w_rows, w_columns}, {1, static_cast<std::int64_t>(w_rows)})
                              : spm(t, 1024, {w_rows, w_columns}, {step(w_columns), 1});
    const View a =
        odd_layout ? spm(t, 1 << 18, {m, k}, {1, static_cast<std::int64_t>(m)}) : spm(t, 1 << 18, {m, k}, {step(k), 1});
    const View c = odd_layout && random.below(2) != 0
                       ? acc(DType::fp32, 65536, {m, n}, {1, static_cast<std::int64_t>(m)})
                       : acc(DType::fp32, 65536, {m, n}, {step(n), 1});
    rig.put(w, random_numbers(random, w.elements()));
    rig.put(a, random_numbers(random, a.elements()));
    EngineOp load = make(Opcode::mxu_load, {}, w);
    load.transposed = transposed;
    EngineOp mm = make(Opcode::mxu_matmul, c, a);
    mm.accumulate = random.below(2) != 0;
    if (mm.accumulate) rig.put(c, random_numbers(random, c.elements()));
    std::vector<std::uint32_t> want;
    Rig::each(c, [&](const auto& i) {
      const float s = chain(rig, a, w, transposed, i[0], i[1], k);
      want.push_back(bits_of(mm.accumulate ? static_cast<float>(rig.get(c, i)) + s : s));
    });
    rig.run(load);
    rig.run(mm);
    std::vector<std::uint32_t> got;
    for (double d : rig.all(c)) got.push_back(bits_of(d));
    REQUIRE(got == want);
  }
}

TEST_CASE("integers are exact, and wrap") {
  Random random;
  for (int round = 0; round < 60; ++round) {
    Rig rig;
    const DType t = round % 2 == 0 ? DType::int8 : DType::int4;
    const std::int64_t lowest = t == DType::int8 ? -128 : -8;
    const std::uint32_t m = 1 + random.below(9);
    const std::uint32_t k = 1 + random.below(64);
    const std::uint32_t n = 1 + random.below(48);
    const bool transposed = random.below(2) != 0;
    const std::uint32_t w_columns = transposed ? k : n;
    const View w = spm(t, 1024, {transposed ? n : k, w_columns}, {(w_columns + 1) / 2 * 2, 1});
    const View a = spm(t, 1 << 18, {m, k}, {(k + 1) / 2 * 2, 1});
    const View c = acc(DType::int32, 0, {m, n});
    const auto integers = [&](std::size_t count) {
      std::vector<float> out(count);
      for (float& f : out)
        f = static_cast<float>(lowest +
                               static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(-2 * lowest))));
      return out;
    };
    rig.put(w, integers(w.elements()));
    rig.put(a, integers(a.elements()));
    const std::int32_t start = 2147483000;
    EngineOp mm = make(Opcode::mxu_matmul, c, a);
    mm.accumulate = true;
    EngineOp fill = make(Opcode::dma_fill, c);
    fill.scalar = static_cast<std::uint32_t>(start);
    rig.run(fill);
    EngineOp load = make(Opcode::mxu_load, {}, w);
    load.transposed = transposed;
    rig.run(load);
    rig.run(mm);
    Rig::each(c, [&](const auto& i) {
      std::int64_t s = start;
      for (std::uint32_t x = 0; x < k; ++x)
        s += static_cast<std::int64_t>(rig.get(a, {i[0], x, 0, 0})) *
             static_cast<std::int64_t>(transposed ? rig.get(w, {i[1], x, 0, 0}) : rig.get(w, {x, i[1], 0, 0}));
      REQUIRE(rig.get(c, i) == static_cast<std::int32_t>(static_cast<std::uint32_t>(s)));
    });
  }
}

TEST_CASE(
    "NaN and infinity: infinity times zero, infinity less infinity, and a NaN in either operand give the one NaN") {
  Rig rig;
  const float inf = std::numeric_limits<float>::infinity();
  const View w = spm(DType::fp32, 0, {2, 4});
  const View a = spm(DType::fp32, 256, {1, 2});
  const View c = acc(DType::fp32, 0, {1, 4});
  rig.put(w, {0, 1, -std::nanf(""), 1, 1, -inf, 0, 2});
  rig.put(a, {inf, 1});
  rig.run(make(Opcode::mxu_load, {}, w));
  rig.run(make(Opcode::mxu_matmul, c, a));
  const auto* raw = reinterpret_cast<const std::uint32_t*>(rig.memory.data(Space::acc, 0, 0));
  REQUIRE(raw[0] == 0x7fc00000);
  REQUIRE(raw[1] == 0x7fc00000);
  REQUIRE(raw[2] == 0x7fc00000);
  REQUIRE(raw[3] == 0x7f800000);
}

TEST_CASE("the tile is what it was at its load; each MXU and core has its own") {
  Rig rig;
  const View w = spm(DType::bf16, 0, {1, 1});
  const View a = spm(DType::bf16, 64, {1, 1});
  const View c = acc(DType::fp32, 0, {1, 1});
  rig.put(w, {5});
  rig.put(a, {1});
  rig.run(make(Opcode::mxu_load, {}, w));
  rig.put(w, {9});
  EngineOp mm = make(Opcode::mxu_matmul, c, a);
  rig.run(mm);
  REQUIRE(rig.all(c)[0] == 5);
  mm.engine = 1;
  REQUIRE_THROWS_WITH(rig.run(mm), contains("HDL-EXEC-07"));
  rig.executor.begin_launch();
  mm.engine = 0;
  REQUIRE_THROWS_WITH(rig.run(mm), contains("HDL-EXEC-07"));
}

TEST_CASE("unwritten rows, tiles and accumulators") {
  Rig rig;
  const View w = spm(DType::bf16, 0, {2, 2});
  const View a = spm(DType::bf16, 64, {2, 2});
  REQUIRE_THROWS_WITH(rig.run(make(Opcode::mxu_load, {}, w)), contains("HDL-EXEC-02"));
  rig.put(w, {1, 2, 3, 4});
  rig.run(make(Opcode::mxu_load, {}, w));
  rig.put(spm(DType::bf16, 64, {1, 2}), {1, 1});
  EngineOp mm = make(Opcode::mxu_matmul, acc(DType::fp32, 0, {2, 2}), a);
  REQUIRE_THROWS_WITH(rig.run(mm), contains("HDL-EXEC-02") && contains("spm byte 0x44"));
  rig.put(a, {1, 1, 1, 1});
  mm.accumulate = true;
  REQUIRE_THROWS_WITH(rig.run(mm), contains("acc byte 0x0"));
  mm.accumulate = false;
  REQUIRE_NOTHROW(rig.run(mm));
}
