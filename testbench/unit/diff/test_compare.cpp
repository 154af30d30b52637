// SPDX-License-Identifier: Apache-2.0
// Two runs made by hand, and the rows that their comparison has to have.
#include "sim/app/diff/compare.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::diff {
namespace {

Run run(double cycles) {
  Run r;
  r.file = "r.json";
  r.command = "bench";
  r.chip = "edge";
  r.mode = "timing";
  r.what = {{"kernel", "gemm"}};
  r.totals = {{"cycles", Quantity::cycles, cycles}};
  r.profile.emplace();
  r.profile->period_fs = 1e6;
  return r;
}

const Table& table(const Comparison& c, const std::string& title) {
  for (const Table& t : c.tables)
    if (t.title.starts_with(title)) return t;
  FAIL("no table " << title);
  return c.tables.front();
}

TEST_CASE("the change of a run is that of its cycles") {
  CHECK(*compare(run(1000), run(1100)).cycles_change() == Approx(10));
  CHECK(*compare(run(1000), run(750)).cycles_change() == Approx(-25));
  Run values = run(0);
  values.totals.front().value.reset();
  CHECK(!compare(run(1000), values).cycles_change());
  CHECK(!compare(run(0), run(1)).cycles_change());
}

TEST_CASE("engines: what changed, the most changed first; what did not is counted") {
  Run a = run(100), b = run(90);
  a.profile->engines = {{{"mxu0", "busy"}, 60}, {{"mxu0", "semaphore"}, 40}, {{"dma0", "off"}, 100}};
  b.profile->engines = {
      {{"mxu0", "busy"}, 60}, {{"mxu0", "semaphore"}, 25}, {{"mxu0", "pipeline"}, 5}, {{"dma0", "off"}, 90}};
  const Comparison c = compare(a, b);
  const Table& t = table(c, "engines");
  REQUIRE(t.rows.size() == 2);
  CHECK(t.rows[0].labels == std::vector<std::string>{"mxu0", "semaphore"});
  CHECK(t.rows[0].change() == -15);
  CHECK(t.rows[1].change() == 5);
  CHECK(*t.rows[1].before == 0);  // it was there, and never waited for this
  CHECK(t.unchanged == 1);
}

TEST_CASE("lines: one row for a line that moved, under both numbers") {
  Run a = run(100), b = run(100);
  a.profile->places = {{{"x/gemm.cpp", 10, "dma.copy", "dma", "HBM"}, 30},
                       {{"x/gemm.cpp", 12, "vpu.add", "vpu", "busy"}, 7}};
  b.profile->places = {{{"y/gemm.cpp", 13, "dma.copy", "dma", "HBM"}, 10},
                       {{"y/gemm.cpp", 13, "dma.copy", "dma", "NoC"}, 2},
                       {{"y/gemm.cpp", 20, "mxu.matmul", "mxu", "busy"}, 9}};
  const Comparison c = compare(a, b);
  const Table& t = table(c, "source lines");
  REQUIRE(t.rows.size() == 4);
  CHECK(t.rows[0].labels[0] == "gemm.cpp:10 -> 13");
  CHECK(t.rows[0].change() == -20);
  CHECK(t.rows[1].labels[0] == "gemm.cpp:20 (new)");
  CHECK(!t.rows[1].before);
  CHECK(t.rows[2].labels[0] == "gemm.cpp:12 (gone)");
  CHECK(!t.rows[2].after);
  CHECK(t.rows[3].labels[3] == "NoC");
  CHECK(*t.rows[3].before == 0);
}

TEST_CASE("kernels: by path; one that took another's place is compared with it") {
  Run a = run(100), b = run(100);
  a.profile->scopes = {{{"p", "layer"}, {1, 50, {{{"dma", "HBM"}, 9}}}}, {{"p", "layer/old"}, {1, 20, {}}}};
  b.profile->scopes = {{{"p", "layer"}, {2, 45, {{{"dma", "HBM"}, 3}}}}, {{"p", "layer/fresh"}, {1, 12, {}}}};
  const Table t = table(compare(a, b), "kernels, in cycles");
  REQUIRE(t.rows.size() == 3);
  CHECK(t.rows[0].labels == std::vector<std::string>{"p: layer/old -> layer/fresh", "inside"});
  CHECK(t.rows[0].change() == -8);
  CHECK(t.rows[1].labels == std::vector<std::string>{"p: layer (1 -> 2 passes)", "dma HBM"});
  b.profile->scopes[{"p", "layer/more"}].inside = 1;  // no longer one for one
  const Table apart = table(compare(a, b), "kernels, in cycles");
  CHECK(apart.rows[0].labels[0] == "p: layer/old");
  CHECK(!apart.rows[0].after);
}

TEST_CASE("what makes two runs other work, and what does not") {
  const auto other_work = [](const Run& a, const Run& b) {
    bool any = false;
    for (const Difference& d : compare(a, b).differences) any = any || d.other_work;
    return any;
  };
  const Run a = run(1);
  Run b = run(1);
  CHECK(compare(a, b).differences.empty());
  b.mode = "full";  // counts the same cycles
  CHECK(compare(a, b).differences.size() == 1);
  CHECK(!other_work(a, b));
  b.chip = "tpu-v6e";
  CHECK(other_work(a, b));
  b = run(1);
  b.what["kernel"] = "softmax";
  CHECK(other_work(a, b));
  b = run(1);
  b.profile->period_fs = 2e6;
  CHECK(other_work(a, b));
}

TEST_CASE("a page shows names as text, whatever they are") {
  Run a = run(100), b = run(90);
  const std::string hostile = "</td><script>alert(1)</script>&\"'";
  a.chip = b.chip = hostile;
  a.file = hostile;
  a.profile->places = {{{hostile, 1, hostile, hostile, hostile}, 5}};
  a.profile->engines = {{{hostile, hostile}, 5}};
  a.profile->sources = {{hostile, {hostile}}};
  const std::string page = page_of(compare(a, b));
  CHECK(page.find("<script>alert") == std::string::npos);
  CHECK(page.find("&lt;/td&gt;&lt;script&gt;alert(1)") != std::string::npos);
  CHECK(page.find("&amp;&quot;&#39;") != std::string::npos);
}

TEST_CASE("no control character of a file's names reaches the terminal") {
  Run a = run(100);
  const Run b = run(90);
  a.profile->engines = {{{"mxu0\x1b[31m", "busy\n"}, 5}};
  const std::string text = text_of(compare(a, b), 10);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("busy?") != std::string::npos);
}

TEST_CASE("numbers as a person reads them") {
  CHECK(percent_text({{}, 1000.0, 1042.0}) == "+4.2 %");
  CHECK(percent_text({{}, 1000000.0, 1000001.0}) == "+0.000 %");
  CHECK(percent_text({{}, 5.0, 5.0}).empty());
  CHECK(percent_text({{}, {}, 5.0}) == "new");
  CHECK(percent_text({{}, 0.0, 5.0}) == "new");
  CHECK(percent_text({{}, 5.0, {}}) == "gone");
  CHECK(change_text({{}, 1000.0, 3500.0}) == "+2,500");
  CHECK(change_text({{}, 3500.0, 1000.0}) == "-2,500");
  CHECK(value_text({}, Quantity::cycles) == "-");
  CHECK(value_text(1.5e6, Quantity::nanoseconds) == "1.50 ms");
}

}  // namespace
}  // namespace heddle::diff
