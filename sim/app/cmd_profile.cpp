// SPDX-License-Identifier: Apache-2.0
// heddle profile KERNEL | PROGRAM.s | IMAGE.hdi | RUN.yaml: what bench and run do, in timing mode unless told
// otherwise, and where each engine's time went.
#include <memory>

#include "isa/base/error.hpp"
#include "sim/app/bench_parts.hpp"
#include "sim/app/run_program.hpp"

namespace heddle::app {
namespace {

struct Profile {
  KernelBench kernel;
  ProgramRun program;
};

ExitCode run_profile(Profile& p, const CLI::App& sub) {
  p.program.common.profile = true;
  if (p.program.common.mode.empty()) p.program.common.mode = "timing";
  p.program.chip_given = p.kernel.chip_given = sub.count("--chip") > 0;
  const std::string& what = p.program.program;
  if (what.ends_with(".s") || what.ends_with(".hdi") || what.ends_with(".yaml") || what.ends_with(".yml")) {
    for (const char* option : {"--shape", "--dtype", "--seed", "--no-check"})
      if (sub.count(option) > 0)
        fail(ErrorKind::bad_input, "HDL-APP-14", "{} is of kernels; {} is a file", option, what);
    return run_what(p.program);
  }
  for (const char* option : {"--entry", "--arg", "--dump"})
    if (sub.count(option) > 0)
      fail(ErrorKind::bad_input, "HDL-APP-14", "{} is of programs (.s, .hdi); {} is not one", option, what);
  p.kernel.kernel = what;
  p.kernel.target = p.program.target;
  p.kernel.common = p.program.common;
  return bench_kernel(p.kernel);
}

const Command profile("profile", "Say where each engine's time went, cycle by cycle", [](CLI::App& sub) {
  auto p = std::make_shared<Profile>();
  sub.add_option("what", p->program.program, "A kernel (heddle bench --list names them), a program, or a run file")
      ->type_name("KERNEL|PROGRAM.s|IMAGE.hdi|RUN.yaml")
      ->required();
  add_kernel_options(sub, p->kernel);
  add_program_options(sub, p->program);
  add_common_options(sub, p->program.common);
  return [p, &sub] { return run_profile(*p, sub); };
});

}  // namespace
}  // namespace heddle::app
