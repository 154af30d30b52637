// SPDX-License-Identifier: Apache-2.0
// The shipped presets against the published numbers they claim.
#include "isa/base/error.hpp"
#include "sim/config/check_chip.hpp"
#include "sim/config/load_chip.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::config {
namespace {

// Multiplications and additions a second. Every preset whose array has a clock of its own would need it here.
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
    // What users of Trainium observe of its DMA is less than its memory gives; its preset says so too.
    const bool slow_dma = name.starts_with("trainium");
    const std::vector<std::string> remarks = chip_remarks(c, c.memory.bandwidth_bytes_per_second);
    CHECK(remarks.size() == (slow_dma ? 1 : 0));
    if (slow_dma) CHECK_THAT(remarks.front(), contains("all DMA engines move 272 GB/s together"));
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

TEST_CASE("older TPUs and Trainium cores give the published peaks and sizes") {
  const ChipSpec v1 = load_chip("tpu-v1");
  CHECK(peak_flops(v1, DType::int8) == Approx(92e12).epsilon(0.01));
  CHECK(v1.core.accumulator.size_bytes == 4 << 20);
  CHECK(v1.core.scratchpad.size_bytes == (24 << 20) + 4 * (64 << 10));  // unified buffer and weight FIFO
  CHECK(v1.memory.bandwidth_bytes_per_second == 34'000'000'000);
  CHECK(peak_flops(load_chip("tpu-v3"), DType::bf16) == Approx(123e12 / 2).epsilon(0.01));  // half a chip
  CHECK(peak_flops(load_chip("tpu-v4"), DType::bf16) == Approx(275e12 / 2).epsilon(0.01));  // half a chip
  CHECK(peak_flops(load_chip("trainium1-core"), DType::bf16) == Approx(91.75e12).epsilon(0.001));
  CHECK(peak_flops(load_chip("trainium2-core"), DType::bf16) == Approx(79e12).epsilon(0.01));
  CHECK(peak_flops(load_chip("trainium2-core"), DType::fp8_e4m3) == Approx(158e12).epsilon(0.01));
  CHECK(peak_flops(load_chip("trainium2-core"), DType::fp32) == Approx(20e12).epsilon(0.02));
}

TEST_CASE("an engine's own clock is 0 or sensible") {
  ChipSpec c = load_chip("edge");
  c.core.vpu.clock_hz = 12;
  REQUIRE(chip_problems(c).size() == 1);
  CHECK_THAT(chip_problems(c).front(), contains("core.vpu.clock"));
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
