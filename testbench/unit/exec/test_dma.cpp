// SPDX-License-Identifier: Apache-2.0
#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

std::vector<float> counting(std::size_t n) {
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(i % 7) - 3.0f;
  return out;
}
constexpr DType all_types[] = {DType::fp32,     DType::bf16,  DType::fp16, DType::fp8_e4m3,
                               DType::fp8_e5m2, DType::int32, DType::int8, DType::int4};

}  // namespace

TEST_CASE("copies of every dtype, between ranks, strided, backwards, repeated") {
  for (const DType t : all_types) {
    const bool nibble = t == DType::int4;
    struct Pair {
      View to, from;
    };
    std::vector<Pair> cases{
        {spm(t, 4096, {3, 4, 5}, {40, 10, 1}), view(Space::hbm, t, 64, {3, 4, 5}, {60, 14, 1})},
        {spm(t, 4096, {6}), view(Space::acc, t, 64, {1, 6})},
        {spm(t, 4096, {3, 1}, {6, 1}), view(Space::hbm, t, 64, {3, 1}, {-2, 1})},
        {spm(t, 4096, {1, 1, 1, 1}), view(Space::hbm, t, 64, {1})},
        {spm(t, 4096, {5, 7}, {-8, 1}), view(Space::hbm, t, 64, {5, 7}, {0, 1})},
    };
    if (!nibble) {
      cases.push_back({spm(t, 4096, {4, 5}, {1, 4}), view(Space::hbm, t, 64, {4, 5})});
      cases.push_back({spm(t, 4096, {9}, {-2}), view(Space::hbm, t, 256, {9}, {-3})});
    }
    for (const Pair& c : cases) {
      Rig rig;
      const std::vector<float> values = counting(c.from.elements());
      rig.put(c.from, values);
      rig.run(make(Opcode::dma_copy, c.to, c.from));
      REQUIRE(rig.all(c.to) == rig.all(c.from));
      // Whoever copies the destination on finds all of it written.
      View on = c.from;
      on.base += 16384;
      for (std::int64_t& stride : on.stride)
        if (stride == 0) stride = 100;
      REQUIRE_NOTHROW(rig.run(make(Opcode::dma_copy, on, c.to)));
      REQUIRE(rig.all(on) == rig.all(c.to));
    }
  }
}

TEST_CASE("an odd count of int4 leaves the neighbour nibble alone") {
  Rig rig;
  const View whole = spm(DType::int4, 0, {4});
  rig.put(whole, {1, 2, 3, 4});
  const View three = view(Space::hbm, DType::int4, 0, {3});
  rig.put(three, {-1, -2, -3});
  rig.run(make(Opcode::dma_copy, spm(DType::int4, 0, {3}), three));
  REQUIRE(rig.all(whole) == std::vector<double>{-1, -2, -3, 4});
}

TEST_CASE("copying bytes that nobody wrote") {
  Rig rig;
  rig.put(view(Space::hbm, DType::bf16, 0, {4, 8}, {16, 1}), counting(32));  // columns 0..7 of 16
  REQUIRE_NOTHROW(
      rig.run(make(Opcode::dma_copy, spm(DType::bf16, 0, {4, 8}), view(Space::hbm, DType::bf16, 0, {4, 8}, {16, 1}))));
  REQUIRE_THROWS_WITH(
      rig.run(make(Opcode::dma_copy, spm(DType::bf16, 0, {4, 9}), view(Space::hbm, DType::bf16, 0, {4, 9}, {16, 1}))),
      contains("HDL-EXEC-02") && contains("hbm byte 0x10"));
  REQUIRE_THROWS_WITH(
      rig.run(make(Opcode::dma_copy, spm(DType::bf16, 0, {2, 4}), view(Space::hbm, DType::bf16, 0, {2, 4}, {16, 3}))),
      contains("hbm byte 0x12"));
  Rig untracked(false);
  REQUIRE_NOTHROW(
      untracked.run(make(Opcode::dma_copy, spm(DType::bf16, 0, {4, 9}), view(Space::hbm, DType::bf16, 0, {4, 9}))));
  REQUIRE(untracked.all(spm(DType::bf16, 0, {1}))[0] == 0.0);
}

TEST_CASE("transposes of every dtype and awkward sizes") {
  for (const DType t : all_types)
    for (const auto& [rows, columns] : {std::pair{1u, 1u}, {1u, 9u}, {16u, 16u}, {17u, 5u}, {40u, 70u}, {33u, 64u}}) {
      Rig rig;
      const std::uint32_t pitch = (columns + 3) / 2 * 2;
      const std::uint32_t to_pitch = (rows + 5) / 2 * 2;
      const View from = view(Space::hbm, t, 64, {2, rows, columns}, {rows * pitch, pitch, 1});
      const View to = spm(t, 128, {2, columns, rows}, {columns * to_pitch, to_pitch, 1});
      rig.put(from, counting(from.elements()));
      rig.run(make(Opcode::dma_transpose, to, from));
      Rig::each(to, [&](const auto& i) { REQUIRE(rig.get(to, i) == rig.get(from, {i[0], i[2], i[1], 0})); });
    }
}

TEST_CASE("a transpose between views whose last strides are not 1") {
  Rig rig;
  const View from = view(Space::hbm, DType::bf16, 64, {5, 7}, {2, 10});
  const View to = spm(DType::bf16, 128, {7, 5}, {11, 2});
  rig.put(from, counting(35));
  rig.run(make(Opcode::dma_transpose, to, from));
  Rig::each(to, [&](const auto& i) { REQUIRE(rig.get(to, i) == rig.get(from, {i[1], i[0], 0, 0})); });
}

TEST_CASE("gather and scatter rows by a list") {
  for (const DType t : all_types) {
    Rig rig;
    const View table = view(Space::hbm, t, 0, {6, 2, 4}, {20, 8, 1});
    const View rows = spm(t, 0, {4, 2, 4});
    const View index = view(Space::smem, DType::int32, 64, {4});
    rig.put(table, counting(48));
    rig.put(index, {5, 0, 3, 3});
    rig.run(make(Opcode::dma_gather, rows, table, index));
    Rig::each(rows, [&](const auto& i) {
      const std::uint32_t row = static_cast<std::uint32_t>(rig.get(index, {i[0], 0, 0, 0}));
      REQUIRE(rig.get(rows, i) == rig.get(table, {row, i[1], i[2], 0}));
    });
    rig.put(rows, counting(32));
    rig.run(make(Opcode::dma_scatter, table, rows, index));
    for (std::uint32_t k = 0; k < 4; ++k) {
      REQUIRE(rig.get(table, {5, 0, k, 0}) == rig.get(rows, {0, 0, k, 0}));
      REQUIRE(rig.get(table, {3, 1, k, 0}) == rig.get(rows, {3, 1, k, 0}));  // the later of two rows wins
    }
  }
}

TEST_CASE("a strided, backwards index list in SPM") {
  Rig rig;
  const View table = view(Space::hbm, DType::fp32, 0, {8});
  const View index = spm(DType::int32, 1032, {3}, {-2});
  rig.put(table, counting(8));
  rig.put(index, {7, 2, 4});
  const View out = spm(DType::fp32, 0, {3});
  rig.run(make(Opcode::dma_gather, out, table, index));
  REQUIRE(rig.all(out) == std::vector<double>{-3, -1, 1});
}

TEST_CASE("indices outside the table, and unwritten ones") {
  Rig rig;
  const View table = view(Space::hbm, DType::fp32, 0, {8});
  const View index = view(Space::smem, DType::int32, 0, {2});
  rig.put(table, counting(8));
  rig.put(index, {7, 8});
  const EngineOp op = make(Opcode::dma_gather, spm(DType::fp32, 0, {2}), table, index);
  REQUIRE_THROWS_WITH(rig.run(op), contains("HDL-EXEC-06: index 8 (number 1 of the list) is outside 0 to 7"));
  rig.put(index, {-1, 0});
  REQUIRE_THROWS_WITH(rig.run(op), contains("HDL-EXEC-06: index -1"));
  const EngineOp unwritten =
      make(Opcode::dma_gather, spm(DType::fp32, 0, {2}), table, view(Space::smem, DType::int32, 64, {2}));
  REQUIRE_THROWS_WITH(rig.run(unwritten), contains("HDL-EXEC-02") && contains("smem"));
}

TEST_CASE("fill rounds to the dtype; integers take the low bits") {
  Rig rig;
  const auto fill = [&](const View& v, std::uint32_t bits) {
    EngineOp op = make(Opcode::dma_fill, v);
    op.scalar = bits;
    rig.run(op);
    return rig.all(v);
  };
  const std::uint32_t third = std::bit_cast<std::uint32_t>(1.0f / 3.0f);
  REQUIRE(fill(spm(DType::fp32, 0, {3}), third) == std::vector<double>(3, 1.0f / 3.0f));
  REQUIRE(fill(spm(DType::bf16, 0, {3}), third) == std::vector<double>(3, 0.333984375));
  REQUIRE(fill(spm(DType::fp8_e4m3, 0, {2, 3}, {8, 2}), std::bit_cast<std::uint32_t>(1e9f)) ==
          std::vector<double>(6, 448));
  REQUIRE(fill(spm(DType::int8, 0, {5}), 0x1fe) == std::vector<double>(5, -2));
  REQUIRE(fill(spm(DType::int4, 0, {5}), 0x1f9) == std::vector<double>(5, -7));
  REQUIRE(fill(spm(DType::int32, 0, {2000}), 0x80000000u) == std::vector<double>(2000, -2147483648.0));
}

TEST_CASE("empty operands touch nothing, unwritten or out of bounds as they may be") {
  Rig rig;
  REQUIRE_NOTHROW(
      rig.run(make(Opcode::dma_copy, spm(DType::fp32, 0, {0, 3}), view(Space::hbm, DType::fp32, 1 << 30, {0, 3}))));
}

TEST_CASE("remote scratchpads") {
  Rig rig;
  const View from = spm(DType::fp32, 0, {3});
  rig.put(from, {1, 2, 3});
  View to = spm(DType::fp32, 64, {3});
  to.remote = true;
  to.core = 1;
  rig.run(make(Opcode::dma_copy, to, from));
  REQUIRE(rig.all(to) == std::vector<double>{1, 2, 3});  // View::core says whose
  View here = to;
  here.remote = false;
  here.core = 0;
  REQUIRE(rig.all(here) == std::vector<double>{0, 0, 0});
}
