// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "isa/base/error.hpp"
#include "sim/config/check_chip.hpp"
#include "sim/config/describe_chip.hpp"
#include "sim/config/load_chip.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::config {
namespace {

const std::string small = R"(schema: heddle.chip/1
clock: 2GHz
cores: 4
core:
  scratchpad: {size: 1MiB, banks: 8, width: 32B}
  accumulator: {size: 16KiB}
  mxu: {rows: 16, cols: 8, rate: {bf16: 1, int8: 2, fp32: 1/4}}
  vpu: {lanes: 32}
  dma: {start: 80 cycles}
memory: {standard: HBM2, channels: 8, capacity: 1GiB}
)";

ChipSpec chip(const std::vector<std::string>& overrides = {}) {
  return parse_chip(small, "small", "small.yaml", overrides);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("every kind of field arrives in its member") {
  const ChipSpec c = chip();
  CHECK(c.name == "small");
  CHECK(c.source_file == "small.yaml");
  CHECK(c.clock_hz == 2'000'000'000);
  CHECK(c.period_fs() == 500'000);
  CHECK(c.cores == 4);
  CHECK(c.core.scratchpad.size_bytes == 1048576);
  CHECK(c.core.scratchpad.banks == 8);
  CHECK(c.core.mxu.rate[static_cast<std::size_t>(DType::int8)].num == 2);
  CHECK(c.core.mxu.rate[static_cast<std::size_t>(DType::fp32)].den == 4);
  CHECK(c.core.mxu.rate[static_cast<std::size_t>(DType::fp16)].num == 0);
  CHECK(c.core.dma.start.value() == 40'000'000);  // 80 cycles of 0.5 ns
  CHECK(c.memory.standard == "HBM2");
  // Not written: the struct's own defaults.
  CHECK(c.core.sequencer.queue_depth == SequencerSpec{}.queue_depth);
  CHECK(c.noc.topology == "crossbar");
  CHECK(c.chips == 1);
}

TEST_CASE("overrides are loaded as if they were written") {
  const ChipSpec c = chip({"core.mxu.rows=32", "clock=1GHz", "noc.hop=5ns", "core.mxu.dataflow=output_stationary"});
  CHECK(c.core.mxu.rows == 32);
  CHECK(c.core.dma.start.value() == 80'000'000);
  CHECK(c.noc.hop_cycles == 5);
  CHECK(c.core.mxu.dataflow == Dataflow::output_stationary);
  CHECK_THROWS_WITH(chip({"core.mxu.rosw=32"}), contains("--set core.mxu.rosw=32: ") &&
                                                    contains("unknown key 'rosw' in core.mxu; did you mean 'rows'?"));
  CHECK_THROWS_WITH(chip({"clock=85"}), contains("needs a unit, such as 85MHz"));
}

TEST_CASE("mistakes name their place, what was found and what was expected") {
  const auto [from, to, message] =
      GENERATE(std::tuple{"cores: 4", "coers: 4",
                          "small.yaml:3:1: HDL-CFG-10: unknown key 'coers' in chip; did you mean 'cores'?"},
               std::tuple{"clock: 2GHz", "clok: 2GHz",
                          "small.yaml:2:1: HDL-CFG-10: unknown key 'clok' in chip; did you mean 'clock'?"},
               std::tuple{"banks: 8", "bnaks: 8",
                          "small.yaml:5:28: HDL-CFG-10: unknown key 'bnaks' in core.scratchpad; did you mean 'banks'?"},
               std::tuple{"int8: 2", "int9: 2", "unknown key 'int9' in core.mxu.rate; did you mean 'int8'?"},
               std::tuple{"cores: 4", "zzzzzz: 4", "unknown key 'zzzzzz' in chip; it may have schema, clock, cores"},
               std::tuple{"80 cycles", "85",
                          "small.yaml:9:16: HDL-CFG-04: start in core.dma: \"85\" needs a unit, such as 85ns"},
               std::tuple{"1MiB", "1048576", "needs a unit, such as 1048576KiB"},
               std::tuple{"clock: 2GHz\n", "", "chip needs the key 'clock'"},
               std::tuple{"memory: {standard: HBM2, channels: 8, capacity: 1GiB}", "", "chip needs the key 'memory'"},
               std::tuple{"rows: 16, ", "", "core.mxu needs the key 'rows'"},
               std::tuple{"cores: 4", "cores: 0", "\"0\" is out of range (1 to 1024)"},
               std::tuple{"cores: 4", "cores: -4", "\"-4\" is not a whole number"},
               std::tuple{"cores: 4", "cores: 99999999999999999999", "is not a whole number"},
               std::tuple{"cores: 4", "cores: [4]", "cores in chip has to be one value, not a list"},
               std::tuple{"cores: 4", "cores:", "cores in chip has to be one value, not nothing"},
               std::tuple{"{size: 16KiB}", "16KiB", "accumulator in core has to be a map, not \"16KiB\""},
               std::tuple{"bf16: 1", "bf16: one", "\"one\" is not a ratio, such as 1/4, 0.25 or 2"},
               std::tuple{"{bf16: 1, int8: 2, fp32: 1/4}", "2", "rate in core.mxu has to be a map, not \"2\""},
               std::tuple{"rows: 16", "rows: 16, background_load: yes", "has to be true or false, not \"yes\""},
               std::tuple{"rows: 16", "rows: 16, dataflow: sideways",
                          "has to be one of weight_stationary, output_stationary, not \"sideways\""},
               std::tuple{"heddle.chip/1", "heddle.chip/2", "schema \"heddle.chip/2\" is not heddle.chip/1"},
               std::tuple{"schema: heddle.chip/1\n", "", "chip needs the key 'schema' (heddle.chip/1)"},
               std::tuple{"banks: 8", "banks: 12", "core.scratchpad.banks is 12; it has to be a power of two"},
               std::tuple{"16KiB", "1KiB", "cores: 4"});
  CAPTURE(from, to);
  if (std::string(to) == "1KiB") {  // 16 x 8 fp32 values are 512 bytes: a KiB is enough
    CHECK_NOTHROW(parse_chip(replaced(small, from, to), "small", "small.yaml"));
  } else {
    CHECK_THROWS_WITH(parse_chip(replaced(small, from, to), "small", "small.yaml"), contains(message));
  }
}

TEST_CASE("a chip that is no map is refused") {
  const char* text = GENERATE("", "[]", "chip", "- a\n- b\n");
  CHECK_THROWS_WITH(parse_chip(text, "x", "x.yaml"), contains("chip has to be a map of keys"));
}

TEST_CASE("numbers that do not fit together are problems") {
  CHECK(chip_problems(chip()).empty());
  ChipSpec c = chip();
  c.core.accumulator.size_bytes = 256;
  c.core.scratchpad.width_bytes = 48;
  c.core.mxu.rate = {};
  c.memory.page_policy = "ajar";
  c.memory.channels = 7;
  c.chips = 2;
  CHECK(chip_problems(c).size() == 7);
  CHECK_THAT(chip_problems(c).front(), contains("core.scratchpad.width is 48B; it has to be a power of two"));
}

TEST_CASE("a narrow network or starved array is remarked on") {
  CHECK(chip_remarks(chip(), 256'000'000'000).empty());
  CHECK(chip_remarks(chip(), 2'000'000'000'000).size() == 2);  // 4 cores * 64 B * 2 GHz is 512 GB/s
  CHECK_THAT(chip_remarks(chip({"core.mxu.rate.bf16=16"}), 1).front(), contains("streaming bf16 rows"));
}

TEST_CASE("what show prints loads back to the same chip") {
  const auto round_trip = [](const ChipSpec& c) {
    const std::string shown = show_chip(c);
    INFO(shown);
    const ChipSpec again = parse_chip(shown, c.name, c.source_file);
    CHECK(show_chip(again) == shown);
    return again;
  };
  ChipSpec c = chip({"core.dma.start=1234567fs", "memory.bandwidth=1234567891B/s", "launch_overhead=2us",
                     "core.mxu.rate.fp32=0.375", "noc.topology=mesh2d", "links={topology: ring, bandwidth: 45GB/s}"});
  c.memory.mapping = "needs \"quotes\": {yes}\n";
  const ChipSpec again = round_trip(c);
  CHECK(again.core.dma.start == c.core.dma.start);
  CHECK(again.memory.bandwidth_bytes_per_second == 1234567891);
  CHECK(again.core.mxu.rate[0].num == 3);
  CHECK(again.core.mxu.rate[0].den == 8);
  CHECK(again.memory.mapping == c.memory.mapping);
  CHECK(again.links.topology == "ring");
}

}  // namespace
}  // namespace heddle::config
