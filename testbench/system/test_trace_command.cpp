// SPDX-License-Identifier: Apache-2.0
// --trace from the command line: what is in the file, what is refused, and that no cycle moves.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

nlohmann::json parsed(const std::string& file) { return nlohmann::json::parse(read_file(file)); }

TEST_CASE("a trace changes no cycle, and both formats are written") {
  const TempFolder temp;
  const std::string run = "bench gemm --shape m=256,k=256,n=256 --mode timing --json r.json ";
  REQUIRE(heddle(run, temp.path()).status == 0);
  const std::uint64_t cycles = parsed(temp.path() + "/r.json")["cycles"];
  for (const char* format : {"json", "pftrace"}) {
    const Ran r = heddle(run + "--trace t." + format, temp.path());
    CAPTURE(r.err);
    REQUIRE(r.status == 0);
    CHECK(parsed(temp.path() + "/r.json")["cycles"] == cycles);
    CHECK(read_file(temp.path() + "/t." + format).size() > 1000);
  }
  const nlohmann::json events = parsed(temp.path() + "/t.json");
  std::map<std::string, int> names;
  std::set<std::string> sent, received;
  double longest = 0;
  for (const nlohmann::json& e : events) {
    ++names[e.value("name", "")];
    if (e["ph"] == "s") sent.insert(e["id"]);
    if (e["ph"] == "f") received.insert(e["id"]);
    if (e["ph"] == "X") longest = std::max(longest, e["ts"].get<double>() + e["dur"].get<double>());
  }
  CHECK(names["mxu.matmul"] > 0);
  CHECK(names["dma.copy"] > 0);
  CHECK(names["gemm"] > 0);  // the kernel's scope
  CHECK(names["HBM read"] > 1);
  CHECK(!received.empty());
  for (const std::string& id : received) CHECK(sent.count(id) == 1);
  CHECK(longest <= parsed(temp.path() + "/r.json")["time_ns"].get<double>() / 1e3 * 1.0001);
}

TEST_CASE("a trace counts what each channel and link of the machine did, and what the kernel uses of the scratchpad") {
  const TempFolder temp;
  const Ran r = heddle(
      "bench gemm_l3 --shape m=128,k=512,n=256 --set cores=1 --mode timing --json r.json --trace t.json", temp.path());
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const nlohmann::json result = parsed(temp.path() + "/r.json");
  struct Seen {
    double last = 0, at = 0, most = 0, area = 0;  // area: value times microseconds
  };
  std::map<std::string, Seen> counters;
  for (const nlohmann::json& e : parsed(temp.path() + "/t.json")) {
    if (e["ph"] != "C") continue;
    Seen& c = counters[e["name"]];
    const double value = e["args"]["value"], at = e["ts"];
    CHECK(at >= c.at);
    c.area += c.last * (at - c.at);
    c.most = std::max(c.most, value);
    c.last = value;
    c.at = at;
  }
  for (const auto& [name, c] : counters) {
    CAPTURE(name);
    CHECK(c.last == 0);  // at the end
  }
  // This kernel holds three tiles of A [128, 64] and of B [64, 64] in bf16, two of C on their way out, and its sums.
  CHECK(counters["scratchpad used"].most == 3 * (2 * 128 * 64 + 2 * 64 * 64) + 2 * (2 * 128 * 64));
  CHECK(counters["accumulators used"].most == 4 * 128 * 64);
  CHECK(counters.count("dma0 queue") == 1);
  CHECK(counters.count("link core0 in") + counters.count("link core0 out") > 0);
  int channels = 0;
  double busy = 0;
  for (const auto& [name, c] : counters)
    if (name.starts_with("HBM channel ") && name.ends_with(" busy")) {
      CHECK(c.most > 0);
      CHECK(c.most <= 100);
      ++channels;
      busy += c.area / 100;
    } else if (name.ends_with(" row hits")) {
      CHECK(c.most <= 100);
    }
  REQUIRE(channels > 0);
  // In femtoseconds, what the run's own counter says.
  CHECK(std::abs(busy / channels * 1e9 / result["counters"]["hbm.busy"].get<double>() - 1) < 1e-6);
}

TEST_CASE("a model's run and a program's can be traced") {
  const TempFolder temp;
  const std::string program = HEDDLE_SOURCE_DIR "/testbench/golden/cycles/programs/vector.s";
  REQUIRE(heddle("run " + program + " --trace p.json", temp.path()).status == 0);
  CHECK(!parsed(temp.path() + "/p.json").empty());
  const Ran r = heddle("generate --model " HEDDLE_SOURCE_DIR
                       "/models/tiny --prompt In --max-new-tokens 2 --mode timing --trace m.json",
                       temp.path());
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  int launches = 0;
  for (const nlohmann::json& e : parsed(temp.path() + "/m.json")) launches += e["ph"] == "B" && e["tid"] == 1;
  CHECK(launches >= 2);
}

TEST_CASE("what --trace refuses") {
  const TempFolder temp;
  const auto refused = [&](const std::string& options, const char* id) {
    const Ran r = heddle("bench gemm " + options, temp.path());
    CAPTURE(options, r.err);
    CHECK(r.status == 2);
    CHECK(r.err.find(id) != std::string::npos);
    CHECK(lines(r.err) == 1);
  };
  refused("--trace t.txt", "HDL-TRC-01");
  refused("--trace t.json --mode values", "HDL-TRC-03");
  refused("--trace /nowhere/t.json", "HDL-TRC-02");
}

TEST_CASE("a trace of a killed run holds whole records") {
  const TempFolder temp;
  // Long enough to be killed in the middle; the trace reaches the file every second.
  heddle(
      "bench gemm --mode timing --no-check --shape m=4096,k=4096,n=4096 --trace t.json & sleep 2; kill -9 $!; wait $!",
      temp.path());
  const std::string text = read_file(temp.path() + "/t.json");
  REQUIRE(text.size() > 1000);
  const nlohmann::json events = nlohmann::json::parse(text.substr(0, text.rfind(",\n")) + "]");
  CHECK(events.size() > 100);
}

}  // namespace
}  // namespace heddle::system_test
