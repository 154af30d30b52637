// SPDX-License-Identifier: Apache-2.0
// heddle run RUN.yaml | PROGRAM.s | IMAGE.hdi
#include <memory>

#include "isa/base/error.hpp"
#include "sim/app/run_file.hpp"
#include "sim/app/run_model.hpp"
#include "sim/app/run_program.hpp"
#include "sim/app/target.hpp"

namespace heddle::app {
namespace {

// The command line's chip and mode go before the file's.
ExitCode run_file(const ProgramRun& asked, bool chip_given) {
  if (!asked.args.empty() || !asked.dumps.empty() || !asked.entry.empty() || asked.target != "sim")
    fail(ErrorKind::bad_input, "HDL-APP-13", "--arg, --dump, --entry and --target are of programs; {} is a run file",
         asked.program);
  ModelRun run;
  run.spec = load_run(asked.program, asked.common.set);
  run.common = asked.common;
  run.command = "run";
  run.bisect = asked.bisect;
  run.tolerance = asked.tolerance;
  if (chip_given) run.spec.chip = asked.common.chip;
  if (!asked.common.mode.empty()) run.spec.mode = asked.common.mode;
  return run_model(run);
}

const Command run_command("run", "Run what a run file says, or one program", [](CLI::App& sub) {
  auto program = std::make_shared<ProgramRun>();
  sub.add_option("what", program->program, "A run file, assembly text, or a program image")
      ->type_name("RUN.yaml|PROGRAM.s|IMAGE.hdi")
      ->required();
  add_bisect_options(sub, program->bisect, program->tolerance);
  add_common_options(sub, program->common);
  const CLI::Option* chip = sub.get_option("--chip");
  add_program_options(sub, *program);
  return [program, chip] {
    program->chip_given = chip->count() > 0;
    return run_what(*program);
  };
});

}  // namespace

void add_program_options(CLI::App& sub, ProgramRun& program) {
  sub.add_option("--entry", program.entry, "Of a program: where to start; by default its first entry")
      ->type_name("NAME");
  sub.add_option("--arg", program.args,
                 "Of a program: the next launch argument: a number, fp32:1.5, zeros:4KiB or file:x.bin")
      ->type_name("VALUE")
      ->allow_extra_args(false);
  sub.add_option("--dump", program.dumps, "Of a program: write the buffer of argument N (from 0) after the run")
      ->type_name("N=FILE")
      ->allow_extra_args(false);
  sub.add_option("--target", program.target, "Of a program: what runs it")
      ->type_name(target_list)
      ->capture_default_str();
}

ExitCode run_what(const ProgramRun& run) {
  const std::string& what = run.program;
  if (run.bisect && (what.ends_with(".s") || what.ends_with(".hdi")))
    fail(ErrorKind::bad_input, "HDL-APP-31", "{} has no reference to be held against: --bisect is of run files", what);
  if (what.ends_with(".s") || what.ends_with(".hdi")) return run_program(run);
  if (what.ends_with(".yaml") || what.ends_with(".yml")) return run_file(run, run.chip_given);
  fail(ErrorKind::bad_input, "HDL-APP-07", "{} is neither a run file (.yaml) nor a program (.s, .hdi)", what);
}

}  // namespace heddle::app
