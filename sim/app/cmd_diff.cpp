// SPDX-License-Identifier: Apache-2.0
// heddle diff BEFORE.json AFTER.json: what changed between two runs, and a gate on their cycles.
#include <memory>

#include "isa/base/error.hpp"
#include "sim/app/command.hpp"
#include "sim/app/diff/compare.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

struct Diff {
  std::string before, after, page;
  double max_regression = -1;  // percent; below 0: no gate
  std::uint32_t rows = 12;
  bool quiet = false;
};

// A gate compares like with like: two kernels, or one on two chips, have no regression.
void require_same_work(const diff::Comparison& c) {
  for (const diff::Difference& d : c.differences)
    if (d.other_work)
      fail(ErrorKind::bad_input, "HDL-DIFF-01", "--max-regression needs two runs of the same work, but {}", d.text);
  if (!c.cycles_change())
    fail(ErrorKind::bad_input, "HDL-DIFF-02",
         "--max-regression needs cycles in both: --mode timing or full, not values");
}

ExitCode run_diff(const Diff& d) {
  require_writable(d.page);
  const diff::Comparison c = diff::compare(diff::read_run(d.before), diff::read_run(d.after));
  const bool gate = d.max_regression >= 0;
  if (gate) require_same_work(c);
  if (!d.quiet)
    for (const diff::Difference& x : c.differences) fmt::print(stderr, "heddle diff: warning: {}\n", x.text);
  print_result(diff::text_of(c, d.rows));
  if (!d.page.empty()) write_file(d.page, diff::page_of(c));
  if (!gate || *c.cycles_change() <= d.max_regression) return success;
  fmt::print(stderr,
             "heddle diff: the run's cycles went up by {:.3g} %, from {} to {}; --max-regression allows {:g} %\n",
             *c.cycles_change(), diff::value_text(c.before.cycles(), diff::Quantity::cycles),
             diff::value_text(c.after.cycles(), diff::Quantity::cycles), d.max_regression);
  return failed;
}

const Command command("diff", "Show what changed between two results: cycles, bytes, stalls", [](CLI::App& sub) {
  auto d = std::make_shared<Diff>();
  sub.add_option("before", d->before, "What bench, profile, run or generate wrote with --json; with --profile, more")
      ->type_name("BEFORE.json")
      ->required();
  sub.add_option("after", d->after, "The same after a change")->type_name("AFTER.json")->required();
  sub.add_option("-o,--output", d->page, "Write it as a page too, with every row")->type_name("DIFF.html");
  sub.add_option("--max-regression", d->max_regression,
                 "Exit 1 if the whole run's cycles went up by more than this many percent")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 1e6));
  sub.add_option("--rows", d->rows, "Of each table on the terminal")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  sub.add_flag("--quiet", d->quiet, "No warnings on stderr");
  return [d] { return run_diff(*d); };
});

}  // namespace
}  // namespace heddle::app
