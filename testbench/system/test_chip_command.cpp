// SPDX-License-Identifier: Apache-2.0
#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

std::string edge_with(const std::string& from, const std::string& to) {
  std::string text = read_file(HEDDLE_SOURCE_DIR "/configs/chip/edge.yaml");
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("chip list names every preset") {
  const Ran r = heddle("chip list");
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  CHECK_THAT(r.out, contains("edge") && contains("tpu-v6e"));
  CHECK_THAT(heddle("chip list", "/").out, contains("edge"));
}

TEST_CASE("what chip show prints is a chip file with the same content") {
  const char* chip = GENERATE("edge", "tpu-v6e", "configs/chip/edge.yaml", "edge --set core.mxu.rows=32 --set cores=1");
  const Ran first = heddle(std::string("chip show ") + chip);
  REQUIRE(first.status == 0);
  const TempFolder temp;
  const std::string file = temp.file("shown.yaml", first.out);
  CHECK(heddle("chip show " + file).out == first.out);
  CHECK(heddle("chip check " + file).status == 0);
}

TEST_CASE("an override changes what it names and nothing else") {
  const Ran plain = heddle("chip show edge");
  const Ran changed = heddle("chip show edge --set core.mxu.rows=128");
  CHECK_THAT(plain.out, contains("    rows: 64\n"));
  CHECK_THAT(changed.out, contains("    rows: 128\n"));
  CHECK(lines(plain.out) == lines(changed.out));
  const Ran wrong = heddle("chip show edge --set core.mxu.rosw=128");
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, contains("unknown key 'rosw' in core.mxu; did you mean 'rows'?"));
}

TEST_CASE("a mistake in a chip file is one line with its place") {
  const TempFolder temp;
  const auto complaint = [&](const std::string& from, const std::string& to) {
    temp.file("mine.yaml", edge_with(from, to));
    const Ran r = heddle("chip show mine.yaml", temp.path());
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(lines(r.err) == 1);
    return r.err;
  };
  CHECK_THAT(complaint("cores: 2", "coers: 2"),
             Catch::Matchers::StartsWith("mine.yaml:6:1: unknown key 'coers' in chip; did you mean 'cores'?"));
  CHECK_THAT(complaint("start: 80ns", "start: 85"), contains("\"85\" needs a unit, such as 85ns"));
  CHECK_THAT(complaint("rows: 64", "rows: [64]"), contains("rows in core.mxu has to be one value, not a list"));
  CHECK_THAT(complaint("cores: 2", "cores: 2\ncores: 3"), contains("key 'cores' stands twice"));
  CHECK_THAT(complaint("cores: 2", "cores: &c 2"), contains("anchors and aliases are not supported"));
  CHECK_THAT(complaint("cores: 2", "cores: [2"), contains("not YAML"));
}

TEST_CASE("chip check tells what does not fit together and exits 1") {
  const Ran r = heddle("chip check edge --set core.scratchpad.banks=12 --set core.accumulator.size=1KiB");
  CHECK(r.status == 1);
  CHECK_THAT(r.out, contains("core.scratchpad.banks is 12; it has to be a power of two") &&
                        contains("one fp32 tile of the MXU (64 x 64) takes 16KiB"));
  CHECK(heddle("chip check edge").out == "edge: consistent\n");
  CHECK(heddle("chip check tpu-v6e").out == "tpu-v6e: consistent\n");
  CHECK_THAT(heddle("chip check edge --set noc.topology=star --set memory.standard=HBM9").out,
             contains("star") && contains("crossbar") && contains("HBM9"));
}

TEST_CASE("a chip that does not exist is named, with the presets") {
  const Ran r = heddle("chip show egde");
  CHECK(r.status == 2);
  CHECK_THAT(r.err, contains("no chip 'egde'") && contains("edge, ") && contains("tpu-v6e") &&
                        contains("did you mean 'edge'?"));
  CHECK(heddle("chip show /etc").status == 2);
  CHECK(heddle("chip show /nonexistent.yaml").status == 2);
}

}  // namespace
}  // namespace heddle::system_test
