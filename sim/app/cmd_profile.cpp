// SPDX-License-Identifier: Apache-2.0
// heddle profile KERNEL | PROGRAM.s | IMAGE.hdi | RUN.yaml: what bench and run do, in timing mode unless told
// otherwise, and where each engine's time went.
#include <memory>

#include "isa/base/error.hpp"
#include "sim/app/bench_parts.hpp"
#include "sim/app/instruments.hpp"
#include "sim/app/profile/what_if.hpp"
#include "sim/app/report.hpp"
#include "sim/app/run_program.hpp"

namespace heddle::app {
namespace {

struct Profile {
  KernelBench kernel;
  ProgramRun program;
  std::string what_if;
};

bool is_file(const std::string& what) {
  return what.ends_with(".s") || what.ends_with(".hdi") || what.ends_with(".yaml") || what.ends_with(".yml");
}

ExitCode run_once(Profile p) {
  const std::string& what = p.program.program;
  if (is_file(what)) return run_what(p.program);
  p.kernel.kernel = what;
  p.kernel.target = p.program.target;
  p.kernel.common = p.program.common;
  return bench_kernel(p.kernel);
}

ExitCode run_profile(Profile& p, const CLI::App& sub) {
  CommonOptions& common = p.program.common;
  common.profile = true;
  if (common.mode.empty()) common.mode = "timing";
  p.program.chip_given = p.kernel.chip_given = sub.count("--chip") > 0;
  const std::string& what = p.program.program;
  if (is_file(what)) {
    for (const char* option : {"--shape", "--dtype", "--seed", "--no-check"})
      if (sub.count(option) > 0)
        fail(ErrorKind::bad_input, "HDL-APP-14", "{} is of kernels; {} is a file", option, what);
  } else {
    for (const char* option : {"--entry", "--arg", "--dump"})
      if (sub.count(option) > 0)
        fail(ErrorKind::bad_input, "HDL-APP-14", "{} is of programs (.s, .hdi); {} is not one", option, what);
  }
  if (sub.count("--what-if") > 0) {
    check_instruments(common, parse_mode(common.mode), p.program.target == "sim");
    common.what_if = parse_what_if(p.what_if);
    run_what_if(common.what_if, common, [&](const CommonOptions& other) {
      Profile again = p;
      again.program.common = other;
      again.program.dumps.clear();
      run_once(again);
    });
  }
  return run_once(p);
}

const Command profile("profile", "Say where each engine's time went, cycle by cycle", [](CLI::App& sub) {
  auto p = std::make_shared<Profile>();
  sub.add_option("what", p->program.program, "A kernel (heddle bench --list names them), a program, or a run file")
      ->type_name("KERNEL|PROGRAM.s|IMAGE.hdi|RUN.yaml")
      ->required();
  add_kernel_options(sub, p->kernel);
  add_program_options(sub, p->program);
  add_common_options(sub, p->program.common);
  sub.add_flag("--what-if{all}", p->what_if,
               "Run it again with parts of the chip that take no time, and say what that gains: --what-if=hbm,mxu, of "
               "hbm, dma-latency, mxu, vpu, noc, sequencer; all of them where none is named");
  return [p, &sub] { return run_profile(*p, sub); };
});

}  // namespace
}  // namespace heddle::app
