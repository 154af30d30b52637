// SPDX-License-Identifier: Apache-2.0
// Tiles as people see them: elements of every kind of view, what nobody wrote, corners, statistics.
#include <bit>

#include "sim/inspect/tile_snapshot.hpp"
#include "sim/inspect/tile_text.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::inspect;

namespace {

isa::View view(DType dtype, std::vector<std::uint32_t> sizes, std::vector<std::int64_t> strides,
               std::uint64_t base = 0) {
  isa::View v;
  v.space = isa::Space::spm;
  v.dtype = dtype;
  v.rank = static_cast<std::uint8_t>(sizes.size());
  v.base = base;
  std::copy(sizes.begin(), sizes.end(), v.size.begin());
  std::copy(strides.begin(), strides.end(), v.stride.begin());
  return v;
}

struct Machine {
  config::ChipSpec chip = test::exec_chip();
  exec::MachineMemory memory{chip, true};

  void put(std::uint64_t at, const std::vector<std::uint8_t>& bytes) {
    std::copy(bytes.begin(), bytes.end(), memory.data(isa::Space::spm, 0, 0) + at);
    memory.mark_written({isa::Space::spm, 0, 0, at, bytes.size()});
  }
  void put_floats(const std::vector<float>& values) {
    std::vector<std::uint8_t> bytes(values.size() * 4);
    std::copy_n(reinterpret_cast<const std::uint8_t*>(values.data()), bytes.size(), bytes.begin());
    put(0, bytes);
  }
};

}  // namespace

TEST_CASE("a transposed view, negative strides and nibbles come out element by element", "[inspect]") {
  Machine m;
  m.put_floats({1, 2, 3, 4, 5, 6});
  TileSnapshot t(view(DType::fp32, {3, 2}, {1, 3}), 0, 0);
  t.take(m.memory);
  CHECK(table_text(t, false, "") == "  1 4\n  2 5\n  3 6\n");
  TileSnapshot back(view(DType::fp32, {3}, {-1}, 8), 0, 0);
  back.take(m.memory);
  CHECK(table_text(back, false, "") == "  3 2 1\n");
  m.put(64, {0x21, 0xf8});
  TileSnapshot nibbles(view(DType::int4, {4}, {1}, 64), 0, 0);
  nibbles.take(m.memory);
  CHECK(table_text(nibbles, false, "") == "   1  2 -8 -1\n");
}

TEST_CASE("statistics leave out what is not finite and what nobody wrote", "[inspect]") {
  Machine m;
  m.put_floats({2, std::bit_cast<float>(0x7fc00000u), -4, std::bit_cast<float>(0xff800000u)});
  TileSnapshot t(view(DType::fp32, {6}, {1}), 0, 0);
  t.take(m.memory);
  const Statistics s = t.statistics();
  CHECK(s.finite == 2);
  CHECK(s.min == -4);
  CHECK(s.max == 2);
  CHECK(s.mean == -1);
  CHECK(statistics_text(s) == "min -4, max 2, mean -1; 1 NaN, 1 infinite, 2 of 6 never written");
  CHECK(table_text(t, false, "") == "     2  nan   -4 -inf    .    .\n");
}

TEST_CASE("an element is taken once: a part now, the rest later", "[inspect]") {
  Machine m;
  m.put_floats({1, 2, 3, 4});
  TileSnapshot t(view(DType::fp32, {4}, {1}), 0, 0);
  t.take_shared(m.memory, view(DType::bf16, {1}, {1}, 6));  // the upper half of element 1
  m.put_floats({5, 6, 7, 8});
  t.take(m.memory);
  CHECK(table_text(t, false, "") == "  5 2 7 8\n");
}

TEST_CASE("large tiles show their corners, or all of them", "[inspect]") {
  Machine m;
  std::vector<float> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  m.put_floats(values);
  TileSnapshot t(view(DType::fp32, {10, 10}, {10, 1}), 0, 0);
  t.take(m.memory);
  CHECK(table_text(t, false, "") ==
        "   0  1  2  ...  7  8  9\n  10 11 12  ... 17 18 19\n  20 21 22  ... 27 28 29\n  ...\n"
        "  70 71 72  ... 77 78 79\n  80 81 82  ... 87 88 89\n  90 91 92  ... 97 98 99\n");
  const std::string all = table_text(t, true, "");
  CHECK(std::count(all.begin(), all.end(), '\n') == 10);
  TileSnapshot planes(view(DType::fp32, {3, 1, 2}, {20, 10, 1}), 0, 0);
  planes.take(m.memory);
  CHECK(table_text(planes, false, "") == "[0]\n   0  1\n[2]\n  40 41\n");
}

TEST_CASE("views that cannot be looked at say why", "[inspect]") {
  const Machine m;
  CHECK(why_not(view(DType::fp32, {4}, {1}), 0, m.chip).empty());
  CHECK(why_not(view(DType::fp32, {0}, {1}, ~0ull), 0, m.chip).empty());
  CHECK(why_not(view(DType::fp32, {4}, {1}, 2), 0, m.chip).find("not aligned") != std::string::npos);
  CHECK(why_not(view(DType::fp32, {4}, {1}, ~0ull & ~3ull), 0, m.chip).find("reaches spm bytes") != std::string::npos);
  CHECK(why_not(view(DType::fp32, {1u << 20, 1u << 20}, {0, 0}), 0, m.chip).find("take a part") != std::string::npos);
  isa::View away = view(DType::fp32, {4}, {1});
  away.remote = true;
  away.core = 1000;
  CHECK_FALSE(why_not(away, 0, m.chip).empty());
}
