// SPDX-License-Identifier: Apache-2.0
// heddle report RESULT.json -o REPORT.html
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/app/command.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report_page/result_page.hpp"
#include "sim/app/result_file.hpp"

namespace heddle::app {
namespace {

struct ReportFiles {
  std::string result, page;
};

ExitCode run_report(const ReportFiles& files) {
  require_writable(files.page);
  const nlohmann::json result = read_result(files.result);
  check_result(result, files.result);
  const std::string page = result_page(result);
  files.page == "-" ? print_result(page) : write_file(files.page, page);
  return success;
}

const Command report("report", "Make a page of a result: roofline, timeline, stalls, source", [](CLI::App& sub) {
  auto files = std::make_shared<ReportFiles>();
  sub.add_option("result", files->result,
                 "What bench, profile, run or generate wrote with --json; with --profile, more")
      ->type_name("RESULT.json")
      ->required();
  sub.add_option("-o,--output", files->page, "The page, a single file that loads nothing; - for stdout")
      ->type_name("REPORT.html")
      ->required();
  return [files] { return run_report(*files); };
});

}  // namespace
}  // namespace heddle::app
