// SPDX-License-Identifier: Apache-2.0
// heddle diff: on results of real runs, as a gate, and on files that are no results.
#include <nlohmann/json.hpp>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

std::string result_of(const TempFolder& folder, const std::string& name, const std::string& command) {
  const std::string path = folder.path() + "/" + name;
  const Ran r = heddle(command + " --json " + path);
  CAPTURE(command, r.err);
  REQUIRE(r.status == 0);
  return path;
}

TEST_CASE("diff names the totals, engines, kernels and lines that changed") {
  const TempFolder folder;
  const std::string slow = result_of(folder, "slow.json", "profile gemm_l2 --shape m=128,k=256,n=256");
  const std::string fast = result_of(folder, "fast.json", "profile gemm_l4 --shape m=128,k=256,n=256");
  const std::string page = folder.path() + "/d.html";
  const Ran r = heddle("diff " + slow + " " + fast + " -o " + page);
  CAPTURE(r.out, r.err);
  CHECK(r.status == 0);
  for (const char* part : {"cycles", "HBM bytes read", "mxu0", "semaphore", "gemm_l2 -> gemm_l4", ".cpp:", " -> "})
    CHECK_THAT(r.out, contains(part));
  CHECK_THAT(r.err, contains("warning: other kernel: gemm_l2 before, gemm_l4 after"));
  const std::string html = read_file(page);
  CHECK_THAT(html,
             contains("<!doctype html>") && contains("gemm_l2 -&gt; gemm_l4") && contains("prefers-color-scheme"));
  CHECK(html.find("http://") == std::string::npos);  // it loads nothing
  CHECK(html.find("https://") == std::string::npos);

  const Ran again = heddle("diff " + slow + " " + fast + " -o " + page);
  CHECK(again.out == r.out);
  CHECK(read_file(page) == html);
}

TEST_CASE("a run against itself has no change and passes every gate") {
  const TempFolder folder;
  const std::string a = result_of(folder, "a.json", "profile softmax --shape rows=32,cols=128");
  const Ran r = heddle("diff " + a + " " + a + " --max-regression 0");
  CAPTURE(r.out, r.err);
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  CHECK_THAT(r.out, contains("source lines, in cycles of all engines of the kind: the same"));
}

TEST_CASE("max-regression looks at the whole run's cycles") {
  const TempFolder folder;
  nlohmann::json result = {{"schema", "heddle.result/1"},
                           {"command", "bench"},
                           {"chip", "edge"},
                           {"mode", "timing"},
                           {"kernel", "gemm"},
                           {"cycles", 1000},
                           {"time_ns", 1000.0}};
  const std::string before = folder.file("before.json", result.dump());
  result["cycles"] = 1050;
  const std::string after = folder.file("after.json", result.dump());
  const Ran over = heddle("diff " + before + " " + after + " --max-regression 4.9");
  CHECK(over.status == 1);
  CHECK_THAT(over.err, contains("the run's cycles went up by 5 %, from 1,000 to 1,050; --max-regression allows 4.9 %"));
  CHECK_THAT(over.out, contains("+5.0 %") && contains("no profile: only totals are compared"));
  CHECK(heddle("diff " + before + " " + after + " --max-regression 5").status == 0);
  CHECK(heddle("diff " + after + " " + before + " --max-regression 0").status == 0);

  result["kernel"] = "softmax";
  const Ran other = heddle("diff " + before + " " + folder.file("other.json", result.dump()) + " --max-regression 50");
  CHECK(other.status == 2);
  CHECK_THAT(other.err, contains("HDL-DIFF-01") && contains("other kernel: gemm before, softmax after"));
  result["kernel"] = "gemm";
  result["cycles"] = nullptr;
  result["mode"] = "values";
  const std::string values = folder.file("values.json", result.dump());
  CHECK_THAT(heddle("diff " + before + " " + values + " --max-regression 50").err, contains("HDL-DIFF-02"));
  const Ran ungated = heddle("diff " + before + " " + values);
  CHECK(ungated.status == 0);
  CHECK_THAT(ungated.out, contains("has no cycles: it ran in values mode"));
}

TEST_CASE("a damaged or foreign result is one line and exit code 2") {
  const TempFolder folder;
  const std::string good = result_of(folder, "good.json", "profile softmax --shape rows=32,cols=128");
  const std::string text = read_file(good);
  const auto refused = [&](const std::string& content, const char* id) {
    const std::string bad = folder.file("bad.json", content);
    for (const std::string& both : {good + " " + bad, bad + " " + good}) {
      const Ran r = heddle("diff " + both);
      CAPTURE(id, r.err, content.substr(0, 60));
      CHECK(r.status == 2);
      CHECK(r.out.empty());
      CHECK(lines(r.err) == 1);
      CHECK_THAT(r.err, contains(id) && contains("bad.json"));
    }
  };
  refused("", "HDL-RES-02");
  refused(text.substr(0, text.size() / 2), "HDL-RES-02");
  refused("{\"schema\": \"heddle.result/1\", \"cycles\": 1e999}", "HDL-RES-02");
  refused(std::string(1000000, '['), "HDL-RES-02");
  refused("[]", "HDL-RES-03");
  refused("{\"schema\": \"heddle.result/2\"}", "HDL-RES-03");
  refused("{\"schema\": {}}", "HDL-RES-03");
  refused("{\"schema\": \"heddle.result/1\"}", "HDL-RES-04");
  refused(R"({"schema": "heddle.result/1", "command": "bench dram"})", "HDL-RES-05");
  const auto edited = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json json = nlohmann::json::parse(text);
    json[nlohmann::json::json_pointer(pointer)] = value;
    return json.dump();
  };
  refused(edited("/cycles", "many"), "HDL-RES-04");
  refused(edited("/cycles", -1), "HDL-RES-04");
  refused(edited("/cycles", 1e300), "HDL-RES-04");
  refused(edited("/chip", 7), "HDL-RES-04");
  refused(edited("/shape", nlohmann::json::array()), "HDL-RES-04");
  refused(edited("/stalls/schema", "heddle.stalls/9"), "HDL-RES-04");
  refused(edited("/stalls/period_fs", 0), "HDL-RES-04");
  refused(edited("/stalls/engines", 3), "HDL-RES-04");
  refused(edited("/stalls/engines/0", nullptr), "HDL-RES-04");
  refused(edited("/stalls/places/0/line", 1.5), "HDL-RES-04");
  refused(edited("/stalls/scopes/0/program", 99), "HDL-RES-04");
  const Ran missing = heddle("diff " + good + " no-such.json");
  CHECK(missing.status == 2);
  CHECK_THAT(missing.err, contains("HDL-RES-01") && contains("no-such.json"));
}

}  // namespace
}  // namespace heddle::system_test
