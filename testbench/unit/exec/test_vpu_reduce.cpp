// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
const float nan_ = std::numeric_limits<float>::quiet_NaN();
std::uint32_t raw(double d) { return std::bit_cast<std::uint32_t>(static_cast<float>(d)); }

// The order of docs/isa/semantics.md, restated.
float ordered_sum(const std::vector<float>& a, bool squares) {
  float p[16] = {};
  for (std::size_t i = 0; i < a.size(); ++i) p[i % 16] = squares ? std::fma(a[i], a[i], p[i % 16]) : p[i % 16] + a[i];
  for (std::size_t j = 0; j < 8; ++j) p[j] = p[j] + p[j + 8];
  for (std::size_t j = 0; j < 4; ++j) p[j] = p[j] + p[j + 4];
  for (std::size_t j = 0; j < 2; ++j) p[j] = p[j] + p[j + 2];
  return p[0] + p[1];
}

std::vector<double> reduce(Opcode op, std::uint32_t rows, const std::vector<float>& in, DType to = DType::fp32,
                           DType from = DType::fp32) {
  Rig rig;
  const auto n = static_cast<std::uint32_t>(in.size()) / rows;
  rig.put(spm(from, 0, {rows, n}), in);
  const View d = spm(to, 1 << 19, {rows, 1});
  rig.run(make(op, d, spm(from, 0, {rows, n})));
  return rig.all(d);
}

}  // namespace

TEST_CASE("sum and sumsq in the stated order, for every length around 16 and past a buffer") {
  Random random;
  for (std::uint32_t n : {1u, 2u, 15u, 16u, 17u, 31u, 32u, 33u, 100u, 1023u, 1024u, 1025u, 1040u, 5000u})
    for (std::uint32_t rows : {1u, 3u}) {
      const std::vector<float> a = random_numbers(random, rows * n);
      const auto sums = reduce(Opcode::vpu_sum, rows, a);
      const auto squares = reduce(Opcode::vpu_sumsq, rows, a);
      for (std::uint32_t r = 0; r < rows; ++r) {
        const std::vector<float> row(a.begin() + r * n, a.begin() + (r + 1) * n);
        REQUIRE(raw(sums[r]) == raw(ordered_sum(row, false)));
        REQUIRE(raw(squares[r]) == raw(ordered_sum(row, true)));
      }
    }
}

TEST_CASE("a reduction of a strided, rank-4 source into SMEM") {
  Rig rig;
  Random random;
  const View a = spm(DType::bf16, 0, {2, 3, 4, 5}, {200, 60, 14, 2});
  rig.put(a, random_numbers(random, 120));
  const View d = view(Space::smem, DType::fp32, 0, {2, 3, 4, 1});
  rig.run(make(Opcode::vpu_sum, d, a));
  Rig::each(d, [&](const auto& i) {
    std::vector<float> row;
    for (std::uint32_t j = 0; j < 5; ++j) row.push_back(static_cast<float>(rig.get(a, {i[0], i[1], i[2], j})));
    REQUIRE(raw(rig.get(d, i)) == raw(ordered_sum(row, false)));
  });
}

TEST_CASE("a sum of negative zeros is +0") { REQUIRE(raw(reduce(Opcode::vpu_sum, 1, {-0.0f, -0.0f})[0]) == 0); }

TEST_CASE("rowmax and rowmin skip NaN, order the zeros, and give NaN when there is no number") {
  REQUIRE(reduce(Opcode::vpu_rowmax, 1, {nan_, -5, 3, nan_}) == std::vector<double>{3});
  REQUIRE(reduce(Opcode::vpu_rowmin, 1, {nan_, -5, 3, nan_}) == std::vector<double>{-5});
  REQUIRE(reduce(Opcode::vpu_rowmax, 1, {-inf, nan_}) == std::vector<double>{-inf});
  REQUIRE(raw(reduce(Opcode::vpu_rowmax, 1, {-0.0f, 0.0f, -0.0f})[0]) == 0);
  REQUIRE(raw(reduce(Opcode::vpu_rowmin, 1, {0.0f, -0.0f, 0.0f})[0]) == 0x80000000);
  REQUIRE(raw(reduce(Opcode::vpu_rowmax, 1, {nan_, -nan_, nan_})[0]) == 0x7fc00000);
  Random random;
  for (std::uint32_t n : {1u, 7u, 16u, 50u, 1500u}) {
    const std::vector<float> a = random_numbers(random, n);
    REQUIRE(reduce(Opcode::vpu_rowmax, 1, a)[0] == *std::max_element(a.begin(), a.end()));
    REQUIRE(reduce(Opcode::vpu_rowmin, 1, a)[0] == *std::min_element(a.begin(), a.end()));
  }
}

TEST_CASE("integer reductions are exact") {
  REQUIRE(reduce(Opcode::vpu_sum, 2, {100, 27, -128, 1, 2, 3}, DType::int32, DType::int8) ==
          std::vector<double>{-1, 6});
  REQUIRE(reduce(Opcode::vpu_sumsq, 1, {100, -100}, DType::int32, DType::int8) == std::vector<double>{20000});
  REQUIRE(reduce(Opcode::vpu_rowmax, 1, {-7, -3, -8}, DType::int8, DType::int4) == std::vector<double>{-3});
  REQUIRE(reduce(Opcode::vpu_rowmin, 1, {-7, -3, -8}, DType::fp32, DType::int4) == std::vector<double>{-8});
}

TEST_CASE("argmax: the first of the largest, NaN below minus infinity") {
  const auto argmax = [](const std::vector<float>& a, DType from = DType::fp32) {
    return reduce(Opcode::vpu_argmax, 1, a, DType::int32, from)[0];
  };
  REQUIRE(argmax({1, 5, 2, 5}) == 1);
  REQUIRE(argmax({nan_, -inf, nan_}) == 1);
  REQUIRE(argmax({nan_, nan_}) == 0);
  REQUIRE(argmax({-0.0f, 0.0f}) == 0);
  REQUIRE(argmax({-3, 7, 7, 1}, DType::int4) == 1);
  std::vector<float> far(3000, 0.0f);
  far[2900] = 1;
  REQUIRE(argmax(far, DType::bf16) == 2900);
}

TEST_CASE("topk against a stable sort, with ties and NaN") {
  Random random;
  for (int round = 0; round < 20; ++round) {
    const std::uint32_t n = 1 + random.below(200);
    const std::uint32_t k = 1 + random.below(n);
    Rig rig;
    std::vector<float> a(2 * n);
    for (float& f : a) f = random.below(12) == 0 ? nan_ : static_cast<float>(random.below(9)) - 4.0f;
    const View from = spm(DType::bf16, 0, {2, n});
    rig.put(from, a);
    const View values = spm(DType::fp32, 1 << 18, {2, k});
    const View indices = spm(DType::int32, 1 << 19, {2, k});
    rig.run(make(Opcode::vpu_topk, values, from, {}, indices));
    for (std::uint32_t r = 0; r < 2; ++r) {
      std::vector<std::uint32_t> order(n);
      std::iota(order.begin(), order.end(), 0u);
      const auto key = [&](std::uint32_t i) {
        const float f = a[r * n + i];
        return std::isnan(f) ? -std::numeric_limits<double>::max() : static_cast<double>(f);
      };
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) { return key(i) > key(j); });
      for (std::uint32_t i = 0; i < k; ++i) {
        REQUIRE(rig.get(indices, {r, i, 0, 0}) == order[i]);
        const double got = rig.get(values, {r, i, 0, 0});
        REQUIRE((std::isnan(a[r * n + order[i]]) ? raw(got) == 0x7fc00000 : got == a[r * n + order[i]]));
      }
    }
  }
}

TEST_CASE("fused row sums of rows longer than a buffer") {
  Rig rig;
  Random random;
  const std::vector<float> a = random_numbers(random, 2 * 3000);
  rig.put(spm(DType::fp32, 0, {2, 3000}), a);
  EngineOp op = make(Opcode::vpu_fused, spm(DType::bf16, 1 << 18, {2, 3000}), spm(DType::fp32, 0, {2, 3000}), {},
                     spm(DType::fp32, 1 << 19, {2, 1}));
  op.scalar = 0x3f800000;
  op.has_row = true;
  op.reduce = isa::RowReduce::sum;
  rig.run(op);
  for (std::uint32_t r = 0; r < 2; ++r)
    REQUIRE(raw(rig.get(op.vc, {r, 0, 0, 0})) ==
            raw(ordered_sum(std::vector<float>(a.begin() + r * 3000, a.begin() + (r + 1) * 3000), false)));
}
