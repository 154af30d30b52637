// SPDX-License-Identifier: Apache-2.0
// heddle run RUN.yaml | PROGRAM.s | IMAGE.hdi
#include <memory>

#include "isa/base/error.hpp"
#include "sim/app/run_program.hpp"

namespace heddle::app {
namespace {

const Command run("run", "Run what a run file says, or one program", [](CLI::App& sub) {
  auto program = std::make_shared<ProgramRun>();
  sub.add_option("what", program->program, "A run file, assembly text, or a program image")
      ->type_name("RUN.yaml|PROGRAM.s|IMAGE.hdi")
      ->required();
  add_common_options(sub, program->common);
  sub.add_option("--entry", program->entry, "Of a program: where to start; by default its first entry")
      ->type_name("NAME");
  sub.add_option("--arg", program->args,
                 "Of a program: the next launch argument: a number, fp32:1.5, zeros:4KiB or file:x.bin")
      ->type_name("VALUE")
      ->allow_extra_args(false);
  sub.add_option("--dump", program->dumps, "Of a program: write the buffer of argument N (from 0) after the run")
      ->type_name("N=FILE")
      ->allow_extra_args(false);
  return [program] {
    const std::string& what = program->program;
    if (what.ends_with(".s") || what.ends_with(".hdi")) return run_program(*program);
    fail(ErrorKind::bad_input, "HDL-APP-07", "{} is neither a run file (.yaml) nor a program (.s, .hdi)", what);
  };
});

}  // namespace
}  // namespace heddle::app
