// SPDX-License-Identifier: Apache-2.0
// The roofline of a profile: numbers worked by hand, sums that are the run's counters, bounds that nothing exceeds; and
// the sources that stand beside it.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

nlohmann::json profiled(const std::string& arguments) {
  const Ran r = heddle("profile " + arguments + " --json -");
  CAPTURE(arguments, r.err);
  REQUIRE(r.status == 0);
  return nlohmann::json::parse(r.out);
}

const nlohmann::json& point(const nlohmann::json& result, const std::string& scope) {
  for (const nlohmann::json& p : result["roofline"]["points"])
    if (p["scope"] == scope) return p;
  FAIL("no scope " << scope);
  throw 0;
}

TEST_CASE("the roofline of a product, by hand") {
  // C [128, 256] = A [128, 512] x B [512, 256] in bf16. This kernel's tiles of C are as wide as the array, 64 columns,
  // and as tall as C here: A comes for each of the four, B once, C goes once.
  const nlohmann::json r = profiled("gemm_l3 --shape m=128,k=512,n=256 --set cores=1");
  const nlohmann::json& p = point(r, "gemm_l3");
  CHECK(p["kind"] == "kernel");
  CHECK(p["passes"] == 1);
  CHECK(p["macs"] == 128 * 512 * 256);
  CHECK(p["vpu_ops"] == 128 * 256);  // sums are moved to C's tile, an element each
  CHECK(p["ops"] == 2 * 128 * 512 * 256 + 128 * 256);
  CHECK(p["hbm_read"] == 2 * (4 * 128 * 512 + 512 * 256));
  CHECK(p["hbm_written"] == 2 * 128 * 256);
  CHECK(p["ceiling"] == "MXU bf16");
  const double ops = p["ops"], bytes = p["hbm_bytes"], fs = p["time_fs"];
  CHECK(std::abs(p["intensity"].get<double>() - ops / bytes) < 1e-9);
  CHECK(std::abs(p["ops_per_s"].get<double>() / (ops / (fs * 1e-15)) - 1) < 1e-9);
  // The edge chip, one core: 64 x 64 cells of bf16 at 1 GHz (2 OP each), 102.4 GB/s. 832 KiB take 8320 ns, 2^24 MACs at
  // 4096 a nanosecond 4096 ns.
  CHECK(r["roofline"]["hbm_bytes_per_s"] == 102.4e9);
  CHECK(p["bound"] == "HBM");
  CHECK(p["bound_fs"] == 8'320'000'000);
  bool found = false;
  for (const nlohmann::json& c : r["roofline"]["ceilings"])
    if (c["name"] == "MXU bf16") {
      found = true;
      CHECK(std::abs(c["ops_per_s"].get<double>() / (2.0 * 64 * 64 * 1e9) - 1) < 1e-6);
    }
  CHECK(found);
}

TEST_CASE("what the vector unit did, by hand, outside of scopes") {
  const nlohmann::json r = profiled(HEDDLE_SOURCE_DIR "/testbench/golden/cycles/programs/vector.s --set cores=1");
  const nlohmann::json& run = point(r, "");
  // Eight instructions on [7, 300] (the reduction and top-k count their source), three on [1, 2048], two on [64, 8],
  // two on [64, 64].
  const int elements = 8 * 2100 + 3 * 2048 + 2 * 512 + 2 * 4096;
  CHECK(run["kind"] == "run");
  CHECK(run["vpu_ops"] == elements);
  CHECK(run["own_ops"] == elements);
  CHECK(run["hbm_bytes"] == 0);
  CHECK(run["intensity"].is_null());
  CHECK(run["bound"] == "VPU");
}

// Work without that of inner scopes sums to what the run counted, and no point is faster than the chip.
void check_points(const nlohmann::json& result) {
  const nlohmann::json& points = result["roofline"]["points"];
  std::uint64_t macs = 0, own_ops = 0, own_bytes = 0;
  for (const auto& [name, value] : result["counters"].items())
    if (name.ends_with(".macs")) macs += value.get<std::uint64_t>();
  const nlohmann::json& run = points[0];
  CHECK(run["kind"] == "run");
  if (result.contains("counters")) CHECK(run["macs"] == macs);
  CHECK(run["hbm_read"] == result["bytes"]["hbm_read"]);
  CHECK(run["hbm_written"] == result["bytes"]["hbm_written"]);
  CHECK(run["time_fs"] == result["stalls"]["total_fs"]);
  for (const nlohmann::json& p : points) {
    CAPTURE(p.dump());
    own_ops += p["own_ops"].get<std::uint64_t>();
    own_bytes += p["own_hbm_bytes"].get<std::uint64_t>();
    CHECK(p["share"] <= 1.0);
    CHECK(p["time_fs"] <= run["time_fs"]);
    CHECK(p["passes"] > 0);
  }
  CHECK(run["ops"] == own_ops);
  CHECK(run["hbm_bytes"] == own_bytes);
}

TEST_CASE("the scopes' work is the run's, of kernels with many cores, of a program, of a model") {
  for (const char* what : {"gemm", "swiglu_gemm", "flash_attention", "paged_attention", "topk",
                           "gemm_sharded --set cores=9", "gemm --chip tpu-v6e --shape m=512,k=512,n=512",
                           HEDDLE_SOURCE_DIR "/testbench/golden/cycles/programs/transfers.s"}) {
    CAPTURE(what);
    check_points(profiled(what));
  }
  const Ran r = heddle("generate --model " HEDDLE_SOURCE_DIR
                       "/models/tiny --prompt In --max-new-tokens 2 --mode timing --profile --json -");
  REQUIRE(r.status == 0);
  const nlohmann::json model = nlohmann::json::parse(r.out);
  check_points(model);
  // The tiny model has four layers, which are one loop: each turn is a pass.
  const nlohmann::json& layer = point(model, "layer");
  CHECK(layer["kind"] == "layer");
  CHECK(layer["passes"] == 4);
  CHECK(layer["own_ops"] == 0);
  CHECK(point(model, "layer/decode_gemm#2")["kind"] == "kernel");
}

TEST_CASE("a profile holds the text of the sources that it names") {
  const nlohmann::json r = profiled("gemm_l3 --shape m=64,k=64,n=64");
  int shown = 0;
  for (const nlohmann::json& row : r["stalls"]["places"]) {
    const std::string file = row["file"];
    REQUIRE(r["sources"].contains(file));
    const nlohmann::json& lines_of_file = r["sources"][file];
    REQUIRE(row["line"] <= lines_of_file.size());
    CHECK(lines_of_file[0] == "// SPDX-License-Identifier: Apache-2.0");
    ++shown;
  }
  CHECK(shown > 0);
  // Far from the tree a kernel's are found by the place of the program.
  const TempFolder temp;
  temp.file("p.s", "start: halt\n");
  REQUIRE(heddle("profile p.s --json r.json", temp.path()).status == 0);
  REQUIRE(heddle("profile gemm_l3 --shape m=64,k=64,n=64 --json k.json", temp.path()).status == 0);
  CHECK(nlohmann::json::parse(read_file(temp.path() + "/r.json"))["sources"]["p.s"] ==
        nlohmann::json::array({"start: halt"}));
  CHECK(nlohmann::json::parse(read_file(temp.path() + "/k.json"))["sources"].size() > 2);
}

TEST_CASE("profile prints the roofline of each kernel in 120 columns") {
  const Ran r = heddle("generate --model " HEDDLE_SOURCE_DIR
                       "/models/tiny --prompt In --max-new-tokens 2 --mode timing --profile --quiet");
  CAPTURE(r.out);
  REQUIRE(r.status == 0);
  const std::size_t at = r.out.find("kernel or layer");
  REQUIRE(at != std::string::npos);
  CHECK(r.out.find("llama decode: layer/paged_attention", at) != std::string::npos);
  for (std::size_t from = at; from < r.out.size();) {
    const std::size_t end = std::min(r.out.find('\n', from), r.out.size());
    CHECK(end - from <= 120);
    from = end + 1;
  }
}

}  // namespace
}  // namespace heddle::system_test
