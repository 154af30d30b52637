// SPDX-License-Identifier: Apache-2.0
// heddle debug KERNEL | PROGRAM.s | IMAGE.hdi | RUN.yaml: what bench and run do, with stops in between. Commands come
// from a file, from a terminal or from whatever stdin is.
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>

#include "isa/base/error.hpp"
#include "kernels/registry/kernel.hpp"
#include "sim/app/bench_parts.hpp"
#include "sim/app/output.hpp"
#include "sim/app/run_program.hpp"
#include "sim/debug/debugger.hpp"
#include "sim/trace/observer.hpp"

namespace heddle::app {
namespace {

constexpr const char* prompt = "(heddle) ";

struct Debug {
  KernelBench kernel;
  ProgramRun program;
  std::string commands;  // a file; empty: stdin
};

// Lines of commands. What does not come from a terminal is shown as it is read, so that a transcript can be followed.
class Commands {
 public:
  explicit Commands(const std::string& file) : name_(file.empty() ? "stdin" : file) {
    if (!file.empty()) {
      file_.open(file);
      if (!file_) fail_at({file}, ErrorKind::bad_input, "HDL-DBG-05", "cannot be read: {}", std::strerror(errno));
    }
    interactive_ = file.empty() && isatty(STDIN_FILENO) == 1;
  }
  bool interactive() const { return interactive_; }
  SourceLocation place() const { return {name_, line_, 0}; }

  std::optional<std::string> next() {
    if (interactive_) print_result(prompt);
    std::string line;
    if (!std::getline(file_.is_open() ? static_cast<std::istream&>(file_) : std::cin, line)) {
      if (interactive_) print_result("\n");
      return std::nullopt;
    }
    ++line_;
    if (!interactive_) print_result(prompt + line + "\n");
    return line;
  }

 private:
  std::string name_;
  std::ifstream file_;
  bool interactive_ = false;
  std::uint32_t line_ = 0;
};

// The final values of a kernel's outputs, as bench holds them against the run's.
std::vector<debug::Reference> references(const KernelBench& b) {
  const kernels::KernelDef& kernel = kernels::find_kernel(b.kernel);
  const kernels::Shape shape = kernels::parse_shape(kernel, b.shape);
  const DType dtype = b.dtype.empty() ? kernel.dtypes.front() : parse_dtype(b.dtype).value();
  std::vector<kernels::HostTensor> tensors;
  for (const kernels::TensorSpec& spec : kernel.tensors(shape, dtype)) {
    const std::uint64_t seed = b.seed + tensors.size();
    tensors.emplace_back(spec);
    if (spec.role == kernels::Role::input || spec.role == kernels::Role::inout) tensors.back().randomize(seed);
  }
  kernel.reference(shape, tensors);
  std::vector<debug::Reference> out;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const kernels::TensorSpec& spec = tensors[i].spec();
    if (spec.role != kernels::Role::output && spec.role != kernels::Role::inout) continue;
    debug::Reference r{spec.name, i, spec.dtype, {}, 0, kernel.tolerance(dtype)};
    double squares = 0;
    for (std::int64_t e = 0; e < spec.elements(); ++e) {
      r.want.push_back(tensors[i].get(e));
      if (std::isfinite(r.want.back())) squares += r.want.back() * r.want.back();
    }
    r.scale = r.want.empty() ? 0 : std::sqrt(squares / static_cast<double>(r.want.size()));
    out.push_back(std::move(r));
  }
  return out;
}

bool is_file(const std::string& what) {
  return what.ends_with(".s") || what.ends_with(".hdi") || what.ends_with(".yaml") || what.ends_with(".yml");
}

void check_options(const Debug& d, const CLI::App& sub) {
  const CommonOptions& common = d.program.common;
  if (common.mode == "values")
    fail(ErrorKind::bad_input, "HDL-DBG-06", "a debugger stops at cycles: --mode full or timing, not values");
  if (common.profile || !common.trace.empty())
    fail(ErrorKind::bad_input, "HDL-DBG-06", "leave out {} while debugging", common.profile ? "--profile" : "--trace");
  if (common.json == "-") fail(ErrorKind::bad_input, "HDL-DBG-06", "stdout is the debugger's; write --json to a file");
  if (d.program.target != "sim") fail(ErrorKind::bad_input, "HDL-DBG-06", "the debugger is of the simulator only");
  const bool file = is_file(d.program.program);
  const std::vector<const char*> others =
      file ? std::vector{"--shape", "--dtype", "--seed", "--no-check"} : std::vector{"--entry", "--arg", "--dump"};
  for (const char* option : others)
    if (sub.count(option) > 0)
      fail(ErrorKind::bad_input, "HDL-APP-14", "{} is of {}; {} is a {}", option, file ? "kernels" : "programs",
           d.program.program, file ? "file" : "kernel");
}

ExitCode run_debug(Debug& d, const CLI::App& sub) {
  if (d.program.common.mode.empty()) d.program.common.mode = "full";
  check_options(d, sub);
  d.program.chip_given = d.kernel.chip_given = sub.count("--chip") > 0;
  d.kernel.kernel = d.program.program;
  d.kernel.common = d.program.common;
  const bool kernel = !is_file(d.program.program);
  Commands commands(d.commands);
  debug::DebuggerOptions options;
  options.next_line = [&] { return commands.next(); };
  options.place = [&] { return commands.place(); };
  options.show = [](const std::string& text) { print_result(text); };
  options.interactive = commands.interactive();
  if (kernel && !d.kernel.no_check) options.references = [&] { return references(d.kernel); };
  debug::Debugger debugger(std::move(options));
  const trace::Installed observer(&debugger.past());
  const control::Installed<control::IInstructionWatch> watch(&debugger.past());
  const debug::InstalledStopper stopper(&debugger);
  try {
    return kernel ? bench_kernel(d.kernel) : run_what(d.program);
  } catch (const Error& e) {
    if (e.id() == debug::Debugger::quit_id) return success;
    throw;
  }
}

const Command debug_command("debug", "Stop a kernel or program anywhere and look at the machine", [](CLI::App& sub) {
  auto d = std::make_shared<Debug>();
  sub.add_option("what", d->program.program, "A kernel (heddle bench --list names them), a program, or a run file")
      ->type_name("KERNEL|PROGRAM.s|IMAGE.hdi|RUN.yaml")
      ->required();
  sub.add_option("--commands", d->commands, "Take the debugger's commands from a file (docs/debugging.md)")
      ->type_name("FILE");
  add_kernel_options(sub, d->kernel);
  add_program_options(sub, d->program);
  add_common_options(sub, d->program.common);
  return [d, &sub] { return run_debug(*d, sub); };
});

}  // namespace
}  // namespace heddle::app
