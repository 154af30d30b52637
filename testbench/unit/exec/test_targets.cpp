// SPDX-License-Identifier: Apache-2.0
// Every kernel gives the same bits on every instruction set that this host can run, the scalar one among them.
#include <cstring>
#include <limits>

#include "sim/exec/kernels.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;
using exec::Binary;
using exec::Kernels;
using exec::Unary;

namespace {

std::vector<float> sweep(std::uint32_t step) {
  std::vector<float> out;
  for (std::uint64_t u = 0; u < (1ull << 32); u += step)
    out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(u)));
  return out;
}

// After canonical NaNs, as where results are stored.
std::vector<std::uint32_t> bits_after(const Kernels& k, const std::vector<float>& v) {
  std::vector<std::uint32_t> out(v.size());
  k.narrow(DType::fp32, v.data(), reinterpret_cast<std::uint8_t*>(out.data()), v.size());
  return out;
}

}  // namespace

TEST_CASE("there is more than the scalar table wherever the host has vectors with fused multiply-add") {
  const auto all = exec::all_kernels();
  REQUIRE(!all.empty());
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma") != 0) REQUIRE(all.size() >= 2);
#endif
  REQUIRE(exec::kernels().target == all.front().target);
}

TEST_CASE("elementwise functions") {
  const auto all = exec::all_kernels();
  std::vector<float> in = sweep(40013);
  for (int i = -4000; i < 4000; ++i) in.push_back(static_cast<float>(i) * 0.005f);
  for (int f = 0; f <= static_cast<int>(Unary::round); ++f) {
    std::vector<std::vector<std::uint32_t>> results;
    for (const Kernels& k : all) {
      std::vector<float> out(in.size());
      k.unary(static_cast<Unary>(f), in.data(), out.data(), in.size());
      results.push_back(bits_after(k, out));
    }
    INFO("function " << f);
    for (const auto& r : results) REQUIRE(r == results.front());
  }
}

TEST_CASE("pairs, select, scale") {
  const auto all = exec::all_kernels();
  std::vector<float> a = sweep(90001);
  std::vector<float> b(a.rbegin(), a.rend());
  for (float x : {0.0f, -0.0f, 1.0f, std::numeric_limits<float>::infinity(), std::nanf("")})
    for (float y : {0.0f, -0.0f, 1.0f, -std::numeric_limits<float>::infinity(), std::nanf("")}) {
      a.push_back(x);
      b.push_back(y);
    }
  std::vector<float> c = a;
  std::rotate(c.begin(), c.begin() + 1234, c.end());
  std::vector<std::vector<std::vector<std::uint32_t>>> results;
  for (const Kernels& k : all) {
    results.emplace_back();
    std::vector<float> out(a.size());
    const auto keep = [&] { results.back().push_back(bits_after(k, out)); };
    for (int f = 0; f <= static_cast<int>(Binary::ne); ++f) {
      k.binary(static_cast<Binary>(f), a.data(), b.data(), out.data(), a.size());
      keep();
    }
    k.select(a.data(), b.data(), c.data(), out.data(), a.size());
    keep();
    k.scale(a.data(), 1.37f, b.data(), out.data(), a.size());
    keep();
    k.scale(a.data(), -0.37f, nullptr, out.data(), a.size());
    keep();
  }
  for (const auto& r : results) REQUIRE(r == results.front());
}

TEST_CASE("row reductions") {
  const auto all = exec::all_kernels();
  Random random;
  for (std::size_t n = 0; n < 70; ++n) {
    std::vector<float> a = random_numbers(random, n);
    if (n % 5 == 4) a[n / 2] = std::nanf("");
    std::vector<std::vector<std::uint32_t>> results;
    for (const Kernels& k : all) {
      float sums[16] = {};
      float squares[16] = {};
      k.sum(a.data(), n, sums);
      k.sumsq(a.data(), n, squares);
      const float nothing = std::numeric_limits<float>::quiet_NaN();
      results.push_back(bits_after(k, {exec::fold_partials(sums), exec::fold_partials(squares),
                                       k.row_max(a.data(), n, nothing), k.row_min(a.data(), n, nothing)}));
    }
    for (const auto& r : results) REQUIRE(r == results.front());
  }
}

TEST_CASE("matrix products and transposes") {
  const auto all = exec::all_kernels();
  Random random;
  for (int round = 0; round < 60; ++round) {
    const std::size_t m = 1 + random.below(20);
    const std::size_t k = 1 + random.below(40);
    const std::size_t n = 1 + random.below(150);
    const std::size_t ldw = (n + 15) / 16 * 16;
    const std::vector<float> a = random_numbers(random, m * k);
    const std::vector<float> w = random_numbers(random, k * ldw);
    const std::vector<float> c0 = random_numbers(random, m * n);
    std::vector<std::uint16_t> w16(w.size());
    std::vector<std::int8_t> w8(w.size());
    std::vector<std::int32_t> a32(a.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      w16[i] = fp32_to_bf16(w[i]);
      w8[i] = static_cast<std::int8_t>(random.next());
    }
    for (std::int32_t& i : a32) i = static_cast<std::int32_t>(random.below(256)) - 128;
    exec::MatmulArgs g;
    g.m = m;
    g.k = k;
    g.n = n;
    g.lda = k;
    g.ldw = ldw;
    g.ldc = n;
    g.accumulate = random.below(2) != 0;
    std::vector<std::vector<std::uint32_t>> results;
    for (const Kernels& table : all) {
      std::vector<std::uint32_t> out;
      const auto run = [&](auto* kernel, const void* rows, const void* weights) {
        std::vector<float> c = c0;
        g.a = rows;
        g.w = weights;
        g.c = c.data();
        kernel(g);
        for (float f : c) out.push_back(std::bit_cast<std::uint32_t>(f));
      };
      run(table.matmul_fp32, a.data(), w.data());
      run(table.matmul_bf16, a.data(), w16.data());
      run(table.matmul_int8, a32.data(), w8.data());
      for (std::size_t width : {1u, 2u, 4u}) {
        std::vector<std::uint8_t> turned(k * ldw * width, 0);
        table.transpose(width, reinterpret_cast<const std::uint8_t*>(w.data()), static_cast<std::int64_t>(ldw * width),
                        turned.data(), static_cast<std::int64_t>(k * width), k, n);
        std::size_t wrong = 0;
        const auto* from = reinterpret_cast<const std::uint8_t*>(w.data());
        for (std::size_t r = 0; r < k; ++r)
          for (std::size_t col = 0; col < n; ++col)
            if (std::memcmp(from + (r * ldw + col) * width, turned.data() + (col * k + r) * width, width) != 0) ++wrong;
        REQUIRE(wrong == 0);
      }
      results.push_back(out);
    }
    for (const auto& r : results) REQUIRE(r == results.front());
  }
}
