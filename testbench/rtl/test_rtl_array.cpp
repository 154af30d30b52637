// SPDX-License-Identifier: Apache-2.0
// The RTL alone: its cycles against those that arrays of other hands take (mesh rows of a third-party suite), its
// arithmetic against the host's fused multiply-add.
#include <bit>
#include <cmath>
#include <random>

#include "testbench/rtl/rtl_bench.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using heddle::testing::BenchEvents;
using heddle::testing::BenchStep;
using heddle::testing::make_variant;
using heddle::testing::run_bench;

namespace {

BenchStep load(std::int64_t rows) {
  BenchStep s;
  s.instruction.operation = rtl::Operation::load;
  s.instruction.rows = static_cast<std::uint32_t>(rows);
  s.rows.resize(static_cast<std::size_t>(rows), {0});
  return s;
}

BenchStep stream(std::int64_t rows, std::int64_t k) {
  BenchStep s;
  s.instruction.operation = rtl::Operation::matmul;
  s.instruction.rows = static_cast<std::uint32_t>(rows);
  s.instruction.k = static_cast<std::uint16_t>(k);
  s.rows.resize(static_cast<std::size_t>(rows), {0});
  return s;
}

std::uint32_t bits(float f) { return std::isnan(f) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(f); }

}  // namespace

TEST_CASE("weight-stationary: from the first row's entry to the last one's exit, T + R + C - 2 cycles") {
  // R = C, T, cycles: the Verilog array "sysArr".
  const std::int64_t table[][3] = {{4, 1, 7},   {4, 4, 10},  {4, 8, 14},   {8, 1, 15},  {8, 8, 22},
                                   {8, 16, 30}, {16, 1, 31}, {16, 16, 46}, {16, 32, 62}};
  for (const auto& [n, t, cycles] : table) {
    const auto rtl = make_variant("ws_" + std::to_string(n) + "x" + std::to_string(n));
    const BenchEvents e = run_bench(*rtl, {load(n), stream(t, n)});
    CHECK(e.rows_out.back() + 1 - e.rows_in.front() == cycles);
    CHECK(e.rows_out.size() == static_cast<std::size_t>(t));
    CHECK(e.rows_out.back() + 1 - e.starts.front() == 2 * n + n + t - 2);  // with the load first: 2R + C + T - 2
  }
}

TEST_CASE("output-stationary: fill, compute, drain take 2R + C + K - 2 cycles") {
  // R = C, K, cycles: the Verilog array "traditional_systolic".
  const std::int64_t table[][3] = {{4, 1, 11}, {4, 4, 14},  {4, 16, 26}, {4, 64, 74},  {8, 1, 23},
                                   {8, 8, 30}, {8, 64, 86}, {16, 1, 47}, {16, 16, 62}, {16, 64, 110}};
  for (const auto& [n, k, cycles] : table) {
    const auto rtl = make_variant("os_" + std::to_string(n) + "x" + std::to_string(n));
    BenchStep s = stream(n, k);
    s.rows.clear();
    s.a.resize(static_cast<std::size_t>(k), {0});
    s.b = s.a;
    const BenchEvents e = run_bench(*rtl, {s});
    CHECK(e.rows_out.back() + 1 - e.starts.front() == cycles);
    CHECK(e.rows_out.size() == static_cast<std::size_t>(n));
  }
}

TEST_CASE("one set of weights: a load waits for the last result, with two it goes on beside the stream") {
  const auto rtl = make_variant("ws_4x4");
  const std::vector<BenchStep> steps{load(4), stream(4, 4), load(4), stream(4, 4)};
  CHECK(run_bench(*rtl, steps, true).starts == std::vector<std::int64_t>{0, 4, 5, 9});
  // Out in cycle 4 + 3 + 6 = 13, so that the load begins in 14: 2R + C + T - 2 = 14 cycles for a tile.
  CHECK(run_bench(*rtl, steps, false).starts == std::vector<std::int64_t>{0, 4, 14, 18});
}

TEST_CASE("a cell's multiply-add is the host's, for special values and for random bits") {
  const auto rtl = make_variant("ws_4x4");
  const std::uint32_t special[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0xffc12345, 0x7f800001, 0x00000001, 0x80000001, 0x007fffff,
                                   0x00800000, 0x807fffff, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x34000000,
                                   0x1a000000, 0x9a000001, 0x5f000000, 0x4b800001};
  std::mt19937 random(20261130);
  const auto any = [&]() -> std::uint32_t {
    switch (random() % 4) {
      case 0:
        return special[random() % std::size(special)];
      case 1:  // near one another, so that sums cancel
        return (random() & 0x80ffffffu) | 0x3f000000u;
      case 2:  // near the smallest numbers, products included
        return (random() & 0x9fffffffu) >> (random() % 2 == 0 ? 0 : 1) << (random() % 2 == 0 ? 0 : 1);
      default:
        return static_cast<std::uint32_t>(random());
    }
  };
  // Chains of four multiply-adds: whatever a sum can be stands in front of the next one.
  constexpr int tiles = 1500;
  constexpr int rows = 16;
  for (int tile = 0; tile < tiles; ++tile) {
    BenchStep w = load(4);
    BenchStep a = stream(rows, 4);
    std::vector<std::uint32_t> acc(4);
    a.instruction.accumulate = tile % 2 == 0;
    for (auto* step : {&w, &a})
      for (auto& row : step->rows) {
        row.resize(4);
        for (std::uint32_t& v : row) v = any();
      }
    for (std::uint32_t& v : acc) v = any();
    const BenchEvents e = run_bench(*rtl, {w, a}, true, acc);
    for (std::size_t m = 0; m < rows; ++m)
      for (std::size_t n = 0; n < 4; ++n) {
        float s = 0;
        for (std::size_t k = 0; k < 4; ++k)
          s = std::fma(std::bit_cast<float>(a.rows[m][k]), std::bit_cast<float>(w.rows[k][n]), s);
        if (a.instruction.accumulate) s = std::bit_cast<float>(acc[n]) + s;
        if (e.results[m][n] != bits(s)) {
          CAPTURE(tile, m, n, w.rows, a.rows[m], acc[n], e.results[m][n], bits(s));
          FAIL("another result than the host's");
        }
      }
  }
}
