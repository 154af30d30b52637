// SPDX-License-Identifier: Apache-2.0
// heddle validate as a user types it: what comes out for good tables, and that every bad one is refused in one clear
// line.
#include <nlohmann/json.hpp>
#include <sstream>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

const std::string heading = "kernel,m,k,n,dtype,measured_ns\n";

// What heddle says about a table with this text.
Ran validate(const std::string& text, const std::string& options = "--chip edge", const std::string& name = "t.csv") {
  const TempFolder folder;
  return heddle("validate '" + folder.file(name, text) + "' " + options);
}

// The one line on stderr; nothing may have been printed as a result.
std::string complaint(const std::string& text, const std::string& options = "--chip edge") {
  const Ran r = validate(text, options);
  CAPTURE(text, options, r.err);
  CHECK(r.status == 2);
  CHECK(r.out.empty());
  CHECK(lines(r.err) == 1);
  return r.err;
}

// Whether tags nest as XML asks, each opened tag closed in turn.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = xml.find('<', at)) != std::string::npos; ++at) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos || tag.empty()) return false;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find_first_of(" \n")));
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("validate shows each row, what it measured and simulated, and what the errors come to") {
  const Ran r = validate("# from nowhere\n" + heading + "gemm,64,64,64,bf16,5000\ngemm,\"1\",64,64,fp32,2000\n");
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  CHECK_THAT(r.out, contains("on edge") && contains("m=64 k=64 n=64 bf16") && contains("5000") && contains("MAPE") &&
                        contains("median") && contains("worst") && contains("2 values"));
}

TEST_CASE("validate takes the chip from the file's name, and says so if it cannot") {
  const std::string text = heading + "gemm,8,8,8,bf16,5000\n";
  CHECK_THAT(validate(text, "", "edge_gemm.csv").out, contains("on edge"));
  CHECK_THAT(validate(text, "", "more-of-tpu_v6e_gemm.csv").out, contains("on tpu-v6e"));
  CHECK_THAT(complaint(text, ""), contains("--chip") && contains("HDL-VAL-10"));
  CHECK_THAT(complaint(text, "--chip nowhere"), contains("nowhere") && contains("HDL-CFG-01"));
  CHECK_THAT(complaint(text, "--chip edge --set core.mxu.row=3"), contains("did you mean 'rows'"));
}

TEST_CASE("an override moves what is simulated") {
  const std::string text = heading + "gemm,256,256,256,bf16,5000\n";
  CHECK(validate(text).out != validate(text, "--chip edge --set clock=500MHz").out);
}

TEST_CASE("validate gives the same as data, on any number of workers") {
  const std::string text = heading + "gemm,64,64,64,bf16,5000\ngemm,32,64,64,bf16,4000\ngemm,16,64,64,bf16,3000\n";
  nlohmann::json first;
  for (const char* jobs : {"1", "3"}) {
    const Ran r = validate(text, std::string("--chip edge --json - --jobs ") + jobs);
    CAPTURE(r.err);
    REQUIRE(r.status == 0);
    nlohmann::json json = nlohmann::json::parse(r.out);
    CHECK(json["schema"] == "heddle.result/1");
    CHECK(json["command"] == "validate");
    CHECK(json["chip"] == "edge");
    CHECK(json["cycles"].is_null());
    CHECK(json["host_seconds"].get<double>() > 0);
    nlohmann::json& table = json["tables"][0];
    CHECK(table["table"] == "t");
    CHECK(table["failures"] == 0);
    REQUIRE(table["rows"].size() == 3);
    const nlohmann::json& m = table["rows"][1]["measurements"][0];
    CHECK(table["rows"][1]["line"] == 3);
    CHECK(m["measured"] == 4000);
    CHECK(m["unit"] == "ns");
    CHECK(m["error_unit"] == "percent");
    CHECK(m["error"].get<double>() == Approx(100 * (m["simulated"].get<double>() / 4000 - 1)));
    CHECK(table["figures"][0]["count"] == 3);
    CHECK(table["mape"] == table["figures"][0]["mean"]);
    CHECK(table["worst"].get<double>() >= table["median"].get<double>());
    for (nlohmann::json& row : table["rows"]) row.erase("host_seconds");
    if (first.is_null()) first = table["rows"];
    CHECK(table["rows"] == first);
  }
}

TEST_CASE("the plot is well-formed whatever a table holds") {
  const TempFolder folder;
  const std::string table = folder.file("a&b<c>.csv", "name,kernel,m,k,n,measured_ns\n\"x<&\"\"y\",gemm,8,8,8,5000\n");
  const std::string other = folder.file("edge_b.csv", heading + "gemm,64,64,64,bf16,5000\n");
  const std::string plot = folder.path() + "/p.svg";
  const Ran r = heddle("validate '" + table + "' " + other + " --chip edge --plot " + plot);
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const std::string svg = read_file(plot);
  CHECK(well_formed(svg));
  CHECK_THAT(svg, contains("<svg") && contains("a&amp;b&lt;c&gt;") && contains("edge_b") &&
                      contains("prefers-color-scheme: dark"));
}

TEST_CASE("a bound on the error decides the exit code") {
  const std::string text = heading + "gemm,64,64,64,bf16,1\n";  // nothing takes a nanosecond
  CHECK(validate(text, "--chip edge").status == 0);
  const Ran over = validate(text, "--chip edge --max-error 50");
  CHECK(over.status == 1);
  CHECK_THAT(over.err, contains("is above 50"));
  CHECK_THAT(over.out, contains("MAPE"));
  CHECK(validate(text, "--chip edge --max-error 1e9").status == 0);
  CHECK(validate(text, "--chip edge --max-row-error 50").status == 1);
  CHECK(complaint(text, "--chip edge --max-error -1").find("max-error") != std::string::npos);
  complaint(text, "--chip edge --max-error nan%");
}

TEST_CASE("tables that cannot be meant are refused with the place") {
  CHECK_THAT(complaint(heading + "gem,1,1,1,bf16,5\n"), contains("t.csv:2:1") && contains("'gem'") && contains("gemm"));
  CHECK_THAT(complaint("kernel,m,k,n,color,measured_ns\ngemm,1,1,1,red,5\n"),
             contains("t.csv:1:14") && contains("'color'"));
  CHECK_THAT(complaint("kernel,m,k,n\ngemm,1,1,1\n"), contains("measured_ns"));
  CHECK_THAT(complaint(""), contains("empty"));
  CHECK_THAT(complaint(heading), contains("no rows"));
  CHECK_THAT(complaint(heading + "gemm,1,1,1,bf16\n"), contains("t.csv:2") && contains("5 fields; the heading has 6"));
  CHECK_THAT(complaint(heading + "gemm,1,1,1,bf16,5,6\n"), contains("7 fields"));
  CHECK_THAT(complaint(heading + "gemm,1,1,1,\"bf16,5\n"), contains("quote"));
  CHECK_THAT(complaint(heading + "gemm,1,1,1,bf17,5\n"), contains("'bf17'") && contains("bf16"));
  for (const char* bad : {"nan", "-5", "0", "inf", "", "1e400", "5ns"})
    CHECK_THAT(complaint(heading + "gemm,1,1,1,bf16," + bad + "\n"), contains("t.csv:2:17") && contains("measured_ns"));
  for (const char* bad : {"0", "-1", "1.5", "x", "", "99999999999999999999", "1e3"})
    CHECK_THAT(complaint(heading + "gemm," + bad + ",1,1,bf16,5\n"), contains("t.csv:2:6") && contains("whole number"));
  CHECK_THAT(complaint(heading + "gemm,16777216,16777216,16777216,bf16,5\n"), contains("multiply"));
  CHECK_THAT(complaint("test,params,expected,unit,tolerance\nwarp/drive,R=1,5,cycles,exact\n"), contains("warp/drive"));
  CHECK_THAT(complaint("test,params,expected,unit,tolerance\nmesh/x,WS_stream R=4 C=4,5,cycles,exact\n"),
             contains("T="));
  CHECK_THAT(complaint("one,two\n1,2\n"), contains("no adapter knows one '1'"));
  const Ran missing = heddle("validate nowhere.csv");
  CHECK(missing.status == 2);
  CHECK_THAT(missing.err, contains("nowhere.csv") && contains("HDL-VAL-01"));
  CHECK(heddle("validate").status == 2);
}

TEST_CASE("a row that the machine cannot run fails alone, with its line, and the command says so") {
  // The second needs more memory than the chip has.
  const Ran r = validate(heading + "gemm,8,8,8,bf16,5000\ngemm,200000,200000,200000,bf16,5\n");
  CAPTURE(r.out, r.err);
  CHECK(r.status == 2);
  CHECK_THAT(r.err, contains("t.csv:3: "));
  CHECK(lines(r.err) == 1);
  CHECK_THAT(r.out, contains("FAILED") && contains("1 of 2 rows failed") && contains("1 value"));
}

TEST_CASE("a page says what was measured, and what a person wrote about it") {
  const TempFolder folder;
  const std::string table = folder.file("edge_gemm.csv", "# made up\n" + heading + "gemm,64,64,64,bf16,5000\n");
  REQUIRE(heddle("validate " + table + " --page " + folder.path() + "/acc.md").status == 0);
  const std::string bare = read_file(folder.path() + "/acc.md");
  CHECK_THAT(bare, contains("## edge_gemm") && contains("made up") && contains("(acc/edge_gemm.svg)"));
  CHECK(well_formed(read_file(folder.path() + "/acc/edge_gemm.svg")));
  folder.file("acc/edge_gemm.md", "title: A chip of ours\ntarget: 0 % MAPE\nmean: 0\n\nIt is *made up*.\n");
  folder.file("acc/intro.md", "# All of it\n");
  REQUIRE(heddle("validate " + table + " --page " + folder.path() + "/acc.md").status == 0);
  CHECK_THAT(read_file(folder.path() + "/acc.md"), contains("# All of it") && contains("## A chip of ours") &&
                                                       contains("missed: mean") && contains("It is *made up*."));
  folder.file("acc/edge_gemm.md", "titel: A chip of ours\n");
  const Ran bad = heddle("validate " + table + " --page " + folder.path() + "/acc.md");
  CHECK(bad.status == 2);
  CHECK_THAT(bad.err, contains("edge_gemm.md:1") && contains("titel"));
}

// The page is written by testbench/golden/accuracy/approve.sh together with the bands: what has a band has its section
// with the notes as they stand, its plot, and the errors that the bands hold.
TEST_CASE("docs/accuracy.md is current") {
  const std::string root = HEDDLE_SOURCE_DIR;
  const std::string page = read_file(root + "/docs/accuracy.md");
  CHECK_THAT(page, contains(read_file(root + "/docs/accuracy/intro.md")));
  std::stringstream bands(read_file(root + "/testbench/golden/accuracy/bands.txt"));
  std::size_t tables = 0;
  for (std::string line; std::getline(bands, line);) {
    const std::size_t all = line.find(" | all | percent | ");
    if (line.starts_with('#') || all == std::string::npos) continue;
    ++tables;
    const std::string stem = line.substr(0, all);
    CAPTURE(stem);
    const std::size_t section = page.find("\n`" + stem + ".csv` on ");
    REQUIRE(section != std::string::npos);
    CHECK_THAT(page, contains("](accuracy/" + stem + ".svg)"));
    CHECK(well_formed(read_file(root + "/docs/accuracy/" + stem + ".svg")));
    const std::string notes = read_file(root + "/docs/accuracy/" + stem + ".md");
    CHECK_THAT(page, contains(notes.substr(notes.find("\n\n") + 2)));
    // "| all | 58 | 0.3 % | ..." beside "... | 0.32 | 3.45": the page rounds to a tenth, the band up to a hundredth.
    // A table whose errors have several units has a line for each.
    std::size_t row = section;
    std::string mean;
    while (!mean.ends_with('%')) {
      row = page.find("| all | ", row + 1);
      REQUIRE(row != std::string::npos);
      const std::size_t begin = page.find("| ", row + 8) + 2;
      mean = page.substr(begin, page.find(" |", begin) - begin);
    }
    CHECK(std::stod(mean) == Approx(std::stod(line.substr(all + 19))).margin(0.061));
  }
  CHECK(tables >= 2);
}

}  // namespace heddle::system_test
