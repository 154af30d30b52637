// SPDX-License-Identifier: Apache-2.0
// The example programs compute what their first lines say.
#include <bit>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "isa/base/float_convert.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/control/rig.hpp"

using heddle::bf16_to_fp32;
using heddle::fp32_to_bf16;
using heddle::test::Rig;

namespace {

std::string program(const std::string& name) {
  std::ifstream in(std::string(HEDDLE_SOURCE_DIR) + "/testbench/system/programs/" + name + ".s", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("axpy.s over lengths around its tile") {
  for (const std::size_t n : {0u, 1u, 1023u, 1024u, 1025u, 3000u}) {
    CAPTURE(n);
    Rig rig(program("axpy"));
    std::vector<float> x;
    std::vector<float> y;
    for (std::size_t i = 0; i <= n; ++i) {
      x.push_back(static_cast<float>(i));
      y.push_back(0.5f * static_cast<float>(i) - 7.0f);
    }
    rig.put(0x10000, x);
    rig.put(0x20000, y);
    rig.run({0x10000, 0x20000, n, std::bit_cast<std::uint32_t>(-3.0f)});
    const auto got = rig.get<float>(0x20000, n + 1);
    for (std::size_t i = 0; i <= n; ++i)
      if (got[i] != (i < n ? y[i] - 3.0f * x[i] : y[i])) FAIL("element " << i << " is " << got[i]);
  }
}

TEST_CASE("matmul.s") {
  constexpr std::size_t n = 16;
  for (const std::size_t m : {0u, 16u, 48u}) {
    CAPTURE(m);
    Rig rig(program("matmul"));
    std::vector<std::uint16_t> a;
    std::vector<std::uint16_t> b;
    for (std::size_t i = 0; i < m * n; ++i) a.push_back(fp32_to_bf16(static_cast<float>(i * 7 % 11) - 5.0f));
    for (std::size_t i = 0; i < n * n; ++i) b.push_back(fp32_to_bf16(static_cast<float>(i * 5 % 13) - 6.0f));
    rig.put(0x10000, a);
    rig.put(0x20000, b);
    rig.run({0x10000, 0x20000, 0x30000, m});
    const auto c = rig.get<float>(0x30000, m * n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;  // of small integers: exact in any order
        for (std::size_t k = 0; k < n; ++k) sum += bf16_to_fp32(a[i * n + k]) * bf16_to_fp32(b[k * n + j]);
        if (c[i * n + j] != sum) FAIL(i << ", " << j << " is " << c[i * n + j] << ", expected " << sum);
      }
  }
}

TEST_CASE("fibonacci.s on one core and on two") {
  for (const int cores : {1, 2}) {
    Rig rig(program("fibonacci"), cores);
    rig.run({0x4000});
    CHECK(rig.get<std::int32_t>(0x4000, 20) == std::vector<std::int32_t>{0,   1,   1,   2,    3,    5,   8,
                                                                         13,  21,  34,  55,   89,   144, 233,
                                                                         377, 610, 987, 1597, 2584, 4181});
  }
}

TEST_CASE("constants.s") {
  Rig rig(program("constants"));
  rig.run({0x4000});
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(rig.get<float>(0x4000, 8) == std::vector<float>{2.0f, -1.5f, 7.0f, 1.002f, inf, 1.0f, 131009.0f, 15.0f});
}

TEST_CASE("deadlock.s is reported with its lines") {
  Rig rig(program("deadlock"));
  CHECK_THROWS_WITH(rig.run(), contains("HDL-SEM-01") && contains("k.s:3") && contains("k.s:4"));
}
