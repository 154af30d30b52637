// SPDX-License-Identifier: Apache-2.0
// The shipped presets against the published numbers they claim.
#include "isa/base/error.hpp"
#include "sim/config/check_chip.hpp"
#include "sim/config/load_chip.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::config {
namespace {

double peak_flops(const ChipSpec& c, DType t) {
  const Ratio r = c.core.mxu.rate[static_cast<std::size_t>(t)];
  return 2.0 * static_cast<double>(c.cores * c.core.mxu.count * c.core.mxu.rows * c.core.mxu.cols) *
         static_cast<double>(r.num) / static_cast<double>(r.den) * static_cast<double>(c.clock_hz);
}

TEST_CASE("every preset loads, is consistent and survives a round trip") {
  REQUIRE(chip_presets().size() >= 2);
  for (const std::string& name : chip_presets()) {
    CAPTURE(name);
    const ChipSpec c = load_chip(name);
    CHECK(c.name == name);
    CHECK(chip_problems(c).empty());
    CHECK(chip_remarks(c, c.memory.bandwidth_bytes_per_second) == std::vector<std::string>{});
    CHECK(show_chip(parse_chip(show_chip(c), name, "shown")) == show_chip(c));
  }
}

TEST_CASE("edge is the small chip it says it is") {
  const ChipSpec c = load_chip("edge");
  CHECK(c.clock_hz == 1'000'000'000);
  CHECK(c.cores == 2);
  CHECK(c.core.scratchpad.size_bytes == 2 << 20);
  CHECK(c.memory.capacity_bytes == 4LL << 30);
  CHECK(peak_flops(c, DType::bf16) == Approx(16.4e12).epsilon(0.01));
}

TEST_CASE("tpu-v6e gives the published peaks") {
  const ChipSpec c = load_chip("tpu-v6e");
  CHECK(peak_flops(c, DType::bf16) == Approx(918e12).epsilon(0.002));
  CHECK(peak_flops(c, DType::int8) == Approx(1836e12).epsilon(0.002));
  CHECK(c.memory.bandwidth_bytes_per_second == 1'640'000'000'000);
  CHECK(c.memory.capacity_bytes == 32LL << 30);
  CHECK(c.core.scratchpad.size_bytes == 128 << 20);
}

TEST_CASE("a chip is found by path or by preset, and otherwise proposed") {
  CHECK(load_chip(HEDDLE_SOURCE_DIR "/configs/chip/edge.yaml").name == "edge");
  CHECK_THROWS_WITH(load_chip("egde"), contains("no chip 'egde'") && contains("did you mean 'edge'?"));
  CHECK_THROWS_WITH(load_chip("no/such.yaml"), contains("no/such.yaml: ") && contains("no such chip file"));
  CHECK_THROWS_AS(load_chip(HEDDLE_SOURCE_DIR "/configs/chip"), Error);
  CHECK_THROWS_AS(load_chip(""), Error);
}

}  // namespace
}  // namespace heddle::config
