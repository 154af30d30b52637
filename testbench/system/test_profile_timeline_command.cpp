// SPDX-License-Identifier: Apache-2.0
// The timeline of a profile: without gaps, the stall account by reason, the scopes as the sequencer passes.
#include <map>
#include <nlohmann/json.hpp>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

using nlohmann::json;

json result_of(const std::string& arguments) {
  const Ran r = heddle(arguments + " --json -");
  CAPTURE(arguments, r.err);
  REQUIRE(r.status == 0);
  return json::parse(r.out);
}

// Time of a track by what `key` of the labels says.
std::map<std::string, std::int64_t> times(const json& timeline, const json& track, const char* key) {
  std::map<std::string, std::int64_t> out;
  const json& s = track["slices"];
  for (std::size_t i = 0; i < s.size(); i += 2) {
    const json& label = timeline["labels"][s[i + 1].get<std::size_t>()];
    out[label.value(key, json()).is_string() ? label[key].get<std::string>() : ""] += s[i].get<std::int64_t>();
  }
  return out;
}

std::int64_t sum(const std::map<std::string, std::int64_t>& times) {
  std::int64_t out = 0;
  for (const auto& [name, fs] : times) out += fs;
  return out;
}

void check_timeline(const json& result) {
  const json& timeline = result["timeline"];
  CHECK(timeline["schema"] == "heddle.timeline/1");
  CHECK(timeline["total_fs"] == result["stalls"]["total_fs"]);
  REQUIRE(timeline["coarsened_fs"] == 0);
  std::map<std::pair<int, std::string>, json> account;
  for (const json& e : result["stalls"]["engines"]) account[{e["core"], e["engine"]}] = e["fs"];
  std::size_t slices = 0, engines = 0;
  for (const json& track : timeline["tracks"]) {
    CAPTURE(track["core"].dump(), track["engine"].dump());
    slices += track["slices"].size() / 2;
    const auto by_reason = times(timeline, track, "reason");
    CHECK(sum(by_reason) == timeline["total_fs"]);
    if (track["kind"] != "engine") continue;
    ++engines;
    CHECK(json(by_reason) == account[{track["core"], track["engine"]}]);
  }
  CHECK(engines == account.size());
  CHECK(slices == timeline["slice_count"]);
  for (const json& label : timeline["labels"]) {
    CHECK(label["place"] < timeline["places"].size());
    CHECK(label["cause"] < timeline["places"].size());
    // Whose wait it was: every one of an engine that a post ended.
    if (label["reason"] == "semaphore") CHECK(label["cause"] >= 0);
  }
}

TEST_CASE("a timeline's slices are the stall account in its order") {
  for (const char* what : {"gemm", "gemm_l2 --shape m=256,k=256,n=256", "paged_attention", "gemm_sharded --set cores=9",
                           HEDDLE_SOURCE_DIR "/testbench/golden/cycles/programs/transfers.s"}) {
    CAPTURE(what);
    check_timeline(result_of(std::string("profile ") + what));
  }
  CHECK(!result_of("bench gemm --mode timing").contains("timeline"));
}

TEST_CASE("a model's timeline has its launches, its layers and their kernels") {
  const json r = result_of("generate --model " HEDDLE_SOURCE_DIR
                           "/models/tiny --prompt In --max-new-tokens 3 --mode timing --profile");
  check_timeline(r);
  const json& timeline = r["timeline"];
  REQUIRE(timeline["launches"].size() == 3);
  std::int64_t at = 0;
  for (const json& launch : timeline["launches"]) {
    CHECK(launch["begin_fs"] == at);
    at += launch["length_fs"].get<std::int64_t>();
  }
  CHECK(at == timeline["total_fs"]);
  // Core 0's sequencer inside each scope, which the stall account has too.
  std::map<std::string, std::int64_t> inside, layers;
  int depths = 0, turns = 0;
  for (const json& track : timeline["tracks"]) {
    if (track["kind"] != "scopes" || track["core"] != 0) continue;
    CHECK(track["depth"] == depths++);
    for (const auto& [scope, fs] : times(timeline, track, "scope")) inside[scope] += fs;
    const json& s = track["slices"];
    for (std::size_t i = 1; i < s.size(); i += 2)
      turns += timeline["labels"][s[i].get<std::size_t>()]["name"] == "layer";
  }
  CHECK(depths == 2);
  CHECK(turns == 3 * 4);  // a slice for each layer of each launch
  for (const json& scope : r["stalls"]["scopes"]) layers[scope["scope"]] += scope["inside_fs"].get<std::int64_t>();
  CHECK(layers.size() > 5);
  for (const auto& [scope, fs] : layers) {
    CAPTURE(scope);
    CHECK(inside[scope] == fs);
  }
}

}  // namespace
}  // namespace heddle::system_test
