// SPDX-License-Identifier: Apache-2.0
// heddle validate TABLE...: measured tables against the simulator.
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "isa/base/error.hpp"
#include "sim/app/command.hpp"
#include "sim/app/output.hpp"
#include "sim/app/validate/page.hpp"
#include "sim/app/validate/reports.hpp"

namespace heddle::app {
namespace {

using namespace validate;

struct Validate {
  std::vector<std::string> tables;
  CommonOptions common;
  std::string plot, page;
  double max_error = -1, max_row_error = -1;  // below 0: not asked for
  WorkerLimits limits;
};

// All rows of all tables run side by side; the results go back to their tables in order.
std::vector<TableResult> run_tables(const Validate& v) {
  const ChipChoice choice{v.common.chip, v.common.set};
  std::vector<TableResult> results;
  std::vector<Case> all;
  for (const std::string& path : v.tables) {
    const std::unique_ptr<const Table> table = read_table(path);
    TableResult r{path, table->stem(), table->comments(), make_cases(*table, choice), {}};
    all.insert(all.end(), r.cases.begin(), r.cases.end());
    results.push_back(std::move(r));
  }
  check_chips(all);
  Progress progress("validating", static_cast<double>(all.size()), v.common.quiet);
  std::vector<CaseOutcome> outcomes =
      run_cases(all, v.limits, [&](std::size_t done) { progress.at(static_cast<double>(done)); });
  auto next = std::make_move_iterator(outcomes.begin());
  for (TableResult& r : results) {
    r.outcomes.assign(next, next + static_cast<std::ptrdiff_t>(r.cases.size()));
    next += static_cast<std::ptrdiff_t>(r.cases.size());
  }
  return results;
}

// One line on stderr for each failed row; the exit code that the gravest asks for.
ExitCode failures_of(const std::vector<TableResult>& tables) {
  ExitCode code = success;
  constexpr std::size_t most_lines = 10;
  std::size_t failures = 0;
  for (const TableResult& t : tables) {
    for (const CaseOutcome& o : t.outcomes) {
      if (!o.failure) continue;
      if (++failures <= most_lines) fmt::print(stderr, "{}\n", o.failure->text);
      code = std::max(code, o.failure->kind == ErrorKind::internal ? failed : usage);
    }
  }
  if (failures > most_lines)
    fmt::print(stderr, "and {} more rows failed; the report names them\n", failures - most_lines);
  return code;
}

// Bounds count errors that are a part of the measured value in percent, and those of shares in points.
bool bounded(const std::string& unit) { return unit == "%" || unit == "pt"; }

ExitCode check(const Validate& v, const std::vector<TableResult>& tables) {
  ExitCode code = success;
  for (const TableResult& t : tables) {
    for (const Figures& f : t.figures()) {
      if (!f.group.empty() || !bounded(f.unit)) continue;
      if (v.max_error >= 0 && f.mean > v.max_error) {
        fmt::print(stderr, "heddle validate: {}: mean error {:.2f} {} is above {:g}\n", t.path, f.mean, f.unit,
                   v.max_error);
        code = failed;
      }
      if (v.max_row_error >= 0 && f.worst > v.max_row_error) {
        fmt::print(stderr, "heddle validate: {}: error {:.2f} {} of {} is above {:g}\n", t.path, f.worst, f.unit,
                   f.worst_label, v.max_row_error);
        code = failed;
      }
    }
  }
  return code;
}

ExitCode run_validate(const Validate& v) {
  const auto began = std::chrono::steady_clock::now();
  require_writable(v.common.json);
  require_writable(v.plot);
  require_writable(v.page);
  const std::vector<TableResult> tables = run_tables(v);
  const std::chrono::duration<double> host = std::chrono::steady_clock::now() - began;
  if (!v.plot.empty()) write_file(v.plot, plot_svg(tables));
  if (!v.page.empty()) write_page(v.page, tables);
  if (!v.common.json.empty()) write_json(v.common.json, json_report(tables, host.count()));
  if (v.common.json != "-") {
    std::string text;
    for (const TableResult& t : tables) text += (text.empty() ? "" : "\n") + text_report(t);
    print_result(text);
  }
  if (const ExitCode code = failures_of(tables); code != success) return code;
  return check(v, tables);
}

const Command command("validate", "Compare tables of measurements with the simulator", [](CLI::App& sub) {
  auto v = std::make_shared<Validate>();
  v->common.chip.clear();
  sub.add_option("tables", v->tables, "Tables of measurements; docs/validate.md says what columns mean")
      ->type_name("TABLE.csv")
      ->required();
  sub.add_option("--chip", v->common.chip,
                 "Run every row on this chip; by default on the one that the row or the file's name says")
      ->type_name("C.yaml|NAME");
  sub.add_option("--set", v->common.set, "Override a key of every chip, such as core.mxu.rows=128; may be given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  sub.add_option("--max-error", v->max_error,
                 "Exit with 1 if a table's mean error is above this: percent, or points where the table holds shares")
      ->type_name("PCT")
      ->check(CLI::NonNegativeNumber);
  sub.add_option("--max-row-error", v->max_row_error, "The same for the worst row of each table")
      ->type_name("PCT")
      ->check(CLI::NonNegativeNumber);
  sub.add_option("--plot", v->plot, "Draw measured against simulated")->type_name("FILE.svg");
  sub.add_option("--page", v->page, "Write a page on all tables; its folder of the same name holds notes and plots")
      ->type_name("FILE.md");
  sub.add_option("--jobs", v->limits.jobs, "Rows run at once; 0: one a host core. No result changes")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  sub.add_option("--row-limit", v->limits.job_seconds, "Host seconds after which a row counts as failed")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_json_option(sub, v->common);
  sub.add_flag("--quiet", v->common.quiet, "No messages and no progress on stderr");
  return [v] { return run_validate(*v); };
});

}  // namespace
}  // namespace heddle::app
