// SPDX-License-Identifier: Apache-2.0
// heddle report: the file that it writes. What a browser makes of it is checked in page/.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

nlohmann::json profiled(const TempFolder& folder) {
  const std::string file = folder.path() + "/run.json";
  REQUIRE(heddle("profile gemm --shape m=64,k=64,n=64 --json " + file).status == 0);
  return nlohmann::json::parse(read_file(file));
}

// The result inside a page.
nlohmann::json inside(const std::string& page) {
  const std::string opening = "<script type=\"application/json\" id=\"result\">";
  const std::size_t begin = page.find(opening) + opening.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// A timeline of two tracks: the smallest that has everything.
nlohmann::json timeline(const nlohmann::json& total) {
  const std::int64_t half = total.get<std::int64_t>() / 2;
  return {{"schema", "heddle.timeline/1"},
          {"total_fs", total},
          {"places",
           {{{"program", 0},
             {"instruction", 1},
             {"mnemonic", "dma.copy"},
             {"engine", "dma0"},
             {"file", "a.cpp"},
             {"line", 3}}}},
          {"labels", {{{"name", "dma.copy"}, {"reason", "busy"}, {"place", 0}, {"cause", -1}}}},
          {"tracks",
           {{{"core", 0},
             {"engine", "dma0"},
             {"kind", "engine"},
             {"slices", {half, 0, total.get<std::int64_t>() - half, 0}}}}}};
}

TEST_CASE("report writes one page that holds the result and loads nothing") {
  const TempFolder folder;
  const nlohmann::json result = profiled(folder);
  const std::string page = folder.path() + "/r.html", run = folder.path() + "/run.json";
  const Ran r = heddle("report " + run + " -o " + page);
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  CHECK(r.out.empty());
  const std::string html = read_file(page);
  CHECK(html.starts_with("<!doctype html>"));
  CHECK(inside(html) == result);
  CHECK_THAT(html, contains("default-src 'none'"));
  for (const char* loads : {" src=", "@import", "url(", "fetch(", "XMLHttpRequest", "https://"})
    CHECK(html.find(loads) == std::string::npos);
  CHECK(count(html, "http://") == 1);  // the name of SVG's elements, which nothing is loaded from
  CHECK(count(html, "http://www.w3.org/2000/svg") == 1);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK(entry.path().extension() != ".tmp");

  CHECK(heddle("report " + run + " -o -").out == html);  // the same bytes every time
}

TEST_CASE("no name of a result can leave the data of the page") {
  const TempFolder folder;
  nlohmann::json result = profiled(folder);
  const std::string attack = "</script><script>alert(1)</script><!-- \u2028 &";
  result["kernel"] = result["chip"] = attack;
  result["stalls"]["places"][0]["file"] = attack;
  result["sources"][attack] = {attack};
  const Ran clean = heddle("report " + folder.path() + "/run.json -o -");
  const Ran r = heddle("report " + folder.file("attack.json", result.dump()) + " -o -");
  REQUIRE(r.status == 0);
  CHECK(r.out.find("alert(1)</script>") == std::string::npos);
  CHECK(r.out.find("<!--") == std::string::npos);
  CHECK(count(r.out, "<script") == count(clean.out, "<script"));
  CHECK(inside(r.out) == result);
}

TEST_CASE("what report refuses is one line and exit code 2, and leaves an old page alone") {
  const TempFolder folder;
  const nlohmann::json good = profiled(folder);
  const std::string page = folder.file("r.html", "old");
  const auto refused = [&](const std::string& content, const char* id, const char* place) {
    const Ran r = heddle("report " + folder.file("bad.json", content) + " -o " + page);
    CAPTURE(id, place, r.err);
    CHECK(r.status == 2);
    CHECK(lines(r.err) == 1);
    CHECK_THAT(r.err, contains(id) && contains("bad.json") && contains(place));
    CHECK(read_file(page) == "old");
  };
  const std::string text = good.dump();
  refused(text.substr(0, text.size() - 9), "HDL-RES-02", "byte");
  refused(R"({"schema": "heddle.result/7"})", "HDL-RES-03", "heddle.result/1");
  refused(R"({"schema": "heddle.result/1", "command": "validate"})", "HDL-RES-05", "validate");
  const auto edited = [&](const char* pointer, const nlohmann::json& value, const char* place) {
    nlohmann::json json = good;
    json["timeline"] = timeline(json["stalls"]["total_fs"]);
    json[nlohmann::json::json_pointer(pointer)] = value;
    refused(json.dump(), "HDL-RES-04", place);
  };
  edited("/cycles", "many", "cycles is \"many\", not a number");
  edited("/stalls/engines/0/fs/busy", -1, "stalls.engines[0].fs.busy");
  edited("/stalls/places/1/program", 5, "stalls.places[1].program");
  edited("/stalls/places/1/file", nullptr, "stalls.places[1].file");
  edited("/stalls/period_fs", 0, "stalls.period_fs");
  edited("/roofline/hbm_bytes_per_s", 0, "roofline.hbm_bytes_per_s");
  edited("/roofline/points/0/ops", "x", "roofline.points[0].ops");
  edited("/sources", {{"a.cpp", {1}}}, "sources.a.cpp[0]");
  edited("/hints", {{{"rule", 1}, {"text", "x"}}}, "hints[0].rule");
  edited("/critical_path", {{"schema", "heddle.critical_path/2"}}, "critical_path.schema");
  edited("/timeline/schema", "heddle.timeline/2", "timeline.schema");
  edited("/timeline/labels/0/place", 9, "timeline.labels[0].place");
  edited("/timeline/tracks/0/slices/1", 1, "timeline.tracks[0].slices");
  edited("/timeline/tracks/0/slices/0", 1, "timeline.tracks[0].slices");
  edited("/timeline/tracks/0/slices", {5}, "timeline.tracks[0].slices");
  nlohmann::json json = good;
  json["timeline"] = timeline(json["stalls"]["total_fs"]);
  CHECK(heddle("report " + folder.file("good.json", json.dump()) + " -o " + page).status == 0);
}

TEST_CASE("a result without a clock or a profile has a page too") {
  const TempFolder folder;
  for (const char* mode : {"values", "timing"}) {
    const std::string file = folder.path() + "/plain.json";
    REQUIRE(heddle(std::string("bench gemm --shape m=16,k=16,n=16 --json ") + file + " --mode " + mode).status == 0);
    const Ran r = heddle("report " + file + " -o -");
    CAPTURE(mode, r.err);
    CHECK(r.status == 0);
    CHECK(inside(r.out)["mode"] == mode);
  }
}

}  // namespace
}  // namespace heddle::system_test
