// SPDX-License-Identifier: Apache-2.0
// The figures against numbers worked out by hand: they are what tables are held to.
#include "sim/app/validate/summary.hpp"

#include <nlohmann/json.hpp>

#include "sim/app/validate/reports.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle::validate;

namespace {

TableResult table() {
  TableResult t;
  t.path = "d/some.csv";
  t.stem = "some";
  const auto add = [&](const std::string& group, const std::string& label, std::vector<Measurement> values) {
    Case c;
    c.group = group;
    c.label = label;
    c.chip = "edge";
    c.place = {"d/some.csv", static_cast<std::uint32_t>(t.cases.size() + 2)};
    t.cases.push_back(c);
    t.outcomes.push_back({std::move(values), {}, 0.5});
  };
  add("gemm", "m=1", {{"time", "ns", 100, 110, {}, Tolerance{ErrorScale::percent, 5}}});
  add("gemm", "m=2", {{"time", "ns", 200, 150, {180, 260}}});
  add("ffn", "m=3", {{"time", "ns", 100, 101}});
  add("ffn", "m=4 <&>", {{"busy", "%", 10, 4, {}, {}, ErrorScale::points}});
  add("ffn", "m=5", {{"stalls", "%", 4, 0, {}, {}, ErrorScale::points}});
  return t;
}

}  // namespace

TEST_CASE("mean, median and worst of the absolute errors, by unit and by group") {
  const std::vector<Figures> f = table().figures();
  REQUIRE(f.size() == 5);
  CHECK(f[0].group.empty());
  CHECK(f[0].unit == "%");
  CHECK(f[0].count == 3);
  CHECK(f[0].mean == Approx((10 + 25 + 1) / 3.0));
  CHECK(f[0].median == Approx(10));
  CHECK(f[0].worst == Approx(25));
  CHECK(f[0].worst_signed == Approx(-25));
  CHECK(f[0].worst_label == "gemm m=2");
  CHECK(f[0].judged == 1);
  CHECK(f[0].outside == 1);
  CHECK(f[1].judged == 0);
  CHECK(f[1].unit == "pt");
  CHECK(f[1].mean == Approx(5));
  CHECK(f[2].group == "gemm");
  CHECK(f[2].median == Approx(17.5));
  CHECK(f[3].group == "ffn");
  CHECK(f[3].unit == "%");
  CHECK(f[4].unit == "pt");
}

TEST_CASE("a failed row is counted, and shown with its reason, not dropped") {
  TableResult t = table();
  t.outcomes[0] = {{}, CaseFailure{heddle::ErrorKind::internal, "some.csv:2: crashed"}, 0};
  CHECK(t.failures() == 1);
  CHECK(t.figures()[0].count == 2);
  const std::string text = text_report(t);
  CHECK_THAT(text, contains("FAILED: some.csv:2: crashed") && contains("1 of 5 rows failed"));
  const nlohmann::json json = json_report({t}, 1);
  CHECK(json["tables"][0]["failures"] == 1);
  CHECK(json["tables"][0]["rows"][0]["failure"] == "some.csv:2: crashed");
}

TEST_CASE("the figure holds every point that logarithmic axes have a place for") {
  const std::string svg = plot_svg({table()});
  CHECK_THAT(svg, contains("m=1: measured 100 ns, simulated 110 ns (+10.0 %)"));
  CHECK_THAT(svg, contains("class=\"bar\""));  // 180 to 260
  CHECK_THAT(svg, contains("not shown: 1 without"));
  CHECK(svg.find("<&>") == std::string::npos);
}
