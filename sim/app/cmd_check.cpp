// SPDX-License-Identifier: Apache-2.0
// heddle check PROGRAM.s | IMAGE.hdi | KERNEL: many runs, each in another order that hardware could take, with all
// checkers: do values, or only cycles, depend on it?
#include <memory>
#include <nlohmann/json.hpp>

#include "isa/base/error.hpp"
#include "sim/app/order/order_report.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"
#include "sim/control/jitter.hpp"

namespace heddle::app {
namespace {

struct Check {
  std::string what;
  KernelBench kernel;
  ProgramRun program;
  CommonOptions common;
  std::uint64_t seeds = 32;
  std::int64_t most_cycles = control::JitterOptions::standard_most_cycles;
  unsigned jobs = 0;
};

Subject subject_of(const Check& c, const CLI::App& sub) {
  const bool program = c.what.ends_with(".s") || c.what.ends_with(".hdi");
  const auto refuse = [&](std::initializer_list<const char*> options, const char* whose) {
    for (const char* option : options)
      if (sub.count(option) > 0)
        fail(ErrorKind::bad_input, "HDL-APP-14", "{} is of {}; {} is not one", option, whose, c.what);
  };
  if (program) {
    refuse({"--shape", "--dtype"}, "kernels");
    ProgramRun run = c.program;
    run.program = c.what;
    return program_subject(run);
  }
  refuse({"--entry", "--arg"}, "programs (.s, .hdi)");
  KernelBench bench = c.kernel;
  bench.kernel = c.what;
  bench.common = c.common;
  return kernel_subject(bench);
}

ExitCode run_check(const Check& c, const CLI::App& sub) {
  require_writable(c.common.json);
  const Subject subject = subject_of(c, sub);
  const hdl_mode mode = parse_mode(c.common.mode);
  Trials trials(subject, c.common.chip, c.common.set, mode, c.most_cycles);
  std::vector<Trial> done;
  {
    Progress progress("checking", static_cast<double>(c.seeds + 1), c.common.quiet);
    done = trials.run(c.seeds, c.jobs, [&](std::size_t n) { progress.at(static_cast<double>(n)); });
  }
  if (const Trial& plain = done.front(); plain.refused) {
    fmt::print(stderr, "heddle: {}\n", plain.refusal);
    return *plain.refused == ErrorKind::internal ? failed : usage;
  }
  const OrderReport report(subject.title, trials.chip().name, c.common.mode, c.most_cycles, trials.ranges(),
                           std::move(done));
  if (!c.common.json.empty()) write_json(c.common.json, report.json());
  if (c.common.json != "-") print_result(report.text());
  if (report.clean()) return success;
  fmt::print(stderr, "heddle check: {}: {}\n", subject.title, report.verdict());
  return failed;
}

const Command check("check", "Run in many orders: do values, or only cycles, depend on them?", [](CLI::App& sub) {
  auto c = std::make_shared<Check>();
  c->common.mode = "full";
  sub.add_option("what", c->what, "A kernel (heddle bench --list names them), assembly text, or a program image")
      ->type_name("KERNEL|PROGRAM.s|IMAGE.hdi")
      ->required();
  sub.add_option("--seeds", c->seeds, "Runs besides the one without jitter, with the seeds 1 to N")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20))
      ->capture_default_str();
  sub.add_option("--max-delay", c->most_cycles, "The longest delay that is drawn, in cycles; nothing in values mode")
      ->type_name("CYCLES")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->capture_default_str();
  sub.add_option("--mode", c->common.mode, "full: delays; timing: delays, no values compared; values: drawn orders")
      ->check(CLI::IsMember({"values", "timing", "full"}))
      ->type_name("values|timing|full")
      ->capture_default_str();
  sub.add_option("--shape", c->kernel.shape, "Of a kernel: sizes other than the standard ones")->type_name("m=..,k=..");
  sub.add_option("--dtype", c->kernel.dtype, "Of a kernel: of the operands")->type_name("TYPE");
  sub.add_option("--entry", c->program.entry, "Of a program: where to start; by default its first entry")
      ->type_name("NAME");
  sub.add_option("--arg", c->program.args,
                 "Of a program: the next launch argument: a number, fp32:1.5, zeros:4KiB or file:x.bin")
      ->type_name("VALUE")
      ->allow_extra_args(false);
  add_chip_options(sub, c->common);
  add_json_option(sub, c->common);
  sub.add_option("--jobs", c->jobs, "Runs at once; 0: one a host core. No result changes")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  sub.add_flag("--quiet", c->common.quiet, "No messages and no progress on stderr");
  return [c, &sub] { return run_check(*c, sub); };
});

}  // namespace
}  // namespace heddle::app
