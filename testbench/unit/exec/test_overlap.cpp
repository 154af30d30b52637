// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "sim/exec/dims.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

std::set<std::int64_t> bytes_of_view(const View& v) {
  std::set<std::int64_t> out;
  Rig::each(v, [&](const auto& i) {
    const std::int64_t bit = static_cast<std::int64_t>(v.base) * 8 + Rig::element(v, i) * bits(v.dtype);
    for (std::int64_t b = bit / 8; b * 8 < bit + bits(v.dtype); ++b) out.insert(b);
  });
  return out;
}

bool brute(const View& a, const View& b) {
  const auto x = bytes_of_view(a);
  for (std::int64_t y : bytes_of_view(b))
    if (x.count(y) != 0) return true;
  return false;
}

}  // namespace

TEST_CASE("halves of a matrix side by side do not touch") {
  const View left = spm(DType::bf16, 0, {64, 32}, {64, 1});
  const View right = spm(DType::bf16, 64, {64, 32}, {64, 1});
  REQUIRE_FALSE(exec::touch_common_byte(left, right));
  REQUIRE(exec::touch_common_byte(left, spm(DType::bf16, 62, {64, 32}, {64, 1})));
  REQUIRE_FALSE(exec::touch_common_byte(left, spm(DType::fp32, 64, {3, 16}, {32, 1})));
}

TEST_CASE("random views agree with a set of bytes") {
  Random random;
  int common = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto any = [&] {
      const DType types[] = {DType::fp32, DType::bf16, DType::int8, DType::int4};
      const DType t = types[random.below(4)];
      std::vector<std::uint32_t> size;
      std::vector<std::int64_t> stride;
      const std::uint32_t rank = 1 + random.below(3);
      for (std::uint32_t d = 0; d < rank; ++d) {
        size.push_back(1 + random.below(5));
        stride.push_back(static_cast<std::int64_t>(random.below(40)) - 12);
        if (t == DType::int4) stride.back() &= ~std::int64_t{1};
      }
      if (t == DType::int4) stride.back() = 1;
      return spm(t, 400 + random.below(60) * 4, size, stride);
    };
    const View a = any();
    const View b = any();
    const bool want = brute(a, b);
    common += want ? 1 : 0;
    REQUIRE(exec::touch_common_byte(a, b) == want);
  }
  REQUIRE(common > 300);  // both answers are met
  REQUIRE(common < 2700);
}
