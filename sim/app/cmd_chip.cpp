// SPDX-License-Identifier: Apache-2.0
// heddle chip list | show C.yaml | check C.yaml
#include <memory>

#include "isa/base/dtype.hpp"
#include "isa/base/error.hpp"
#include "sim/app/command.hpp"
#include "sim/app/output.hpp"
#include "sim/config/check_chip.hpp"
#include "sim/config/load_chip.hpp"
#include "sim/config/quantity.hpp"
#include "sim/memory/i_memory_model.hpp"
#include "sim/noc/i_noc_model.hpp"

namespace heddle::app {
namespace {

// Peak of all cores in operations a second, a multiply-add counting as two.
double peak_operations(const config::ChipSpec& c, DType t) {
  const config::Ratio r = c.core.mxu.rate_of(t);
  return 2.0 * static_cast<double>(c.cores * c.core.mxu.count * c.core.mxu.rows * c.core.mxu.cols) *
         static_cast<double>(r.num) / static_cast<double>(r.den) * static_cast<double>(c.clock_hz);
}

std::int64_t memory_peak(const config::ChipSpec& c) {
  return memory::make_memory_model(c.memory)->peak_bytes_per_second();
}

ExitCode list() {
  std::string out = fmt::format("{:<14}{:>7}{:>10}{:>14}{:>16}{:>12}{:>16}  {}\n", "chip", "cores", "clock",
                                "MXU a core", "bf16 TFLOP/s", "scratchpad", "memory GB/s", "memory");
  for (const std::string& name : config::chip_presets()) {
    const config::ChipSpec c = config::load_chip(name);
    const config::MxuSpec& mxu = c.core.mxu;
    out += fmt::format("{:<14}{:>7}{:>10}{:>14}{:>16.1f}{:>12}{:>16.1f}  {} {}\n", name, c.cores,
                       format_quantity(c.clock_hz, config::Unit::hertz),
                       fmt::format("{} x {}x{}", mxu.count, mxu.rows, mxu.cols), peak_operations(c, DType::bf16) / 1e12,
                       format_quantity(c.core.scratchpad.size_bytes, config::Unit::bytes),
                       static_cast<double>(memory_peak(c)) / 1e9,
                       format_quantity(c.memory.capacity_bytes, config::Unit::bytes), c.memory.standard);
  }
  print_result(out);
  return success;
}

struct ChipArguments {
  std::string chip;
  std::vector<std::string> set;
};

CLI::App* add_action(CLI::App& sub, const std::string& name, const std::string& summary, ChipArguments& arguments) {
  CLI::App* action = sub.add_subcommand(name, summary);
  action->add_option("chip", arguments.chip, "A chip's YAML file, or a preset's name")
      ->type_name("C.yaml|NAME")
      ->required();
  action->add_option("--set", arguments.set, "Override a key, such as core.mxu.rows=128")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  return action;
}

// What the models themselves say about their part of the chip: an unknown name, sizes that make no network.
template <class Build>
void try_building(std::vector<std::string>& problems, Build build) {
  try {
    build();
  } catch (const Error& e) {
    problems.push_back(e.message());
  }
}

ExitCode check(const ChipArguments& a) {
  const config::ChipSpec chip = config::read_chip(a.chip, a.set);
  std::vector<std::string> problems = config::chip_problems(chip);
  std::int64_t peak = 0;
  try_building(problems, [&] { peak = memory_peak(chip); });
  try_building(problems,
               [&] { noc::make_noc_model(chip.noc, static_cast<int>(chip.cores), 1, TimeFs(chip.period_fs())); });
  std::string out;
  for (const std::string& problem : problems) out += fmt::format("{}: {}\n", a.chip, problem);
  for (const std::string& remark : config::chip_remarks(chip, peak))
    out += fmt::format("{}: remark: {}\n", a.chip, remark);
  if (problems.empty()) out += fmt::format("{}: consistent\n", a.chip);
  print_result(out);
  return problems.empty() ? success : failed;
}

const Command chip("chip", "List the chip presets, show a chip with all its keys, or check one", [](CLI::App& sub) {
  sub.require_subcommand(1);
  auto arguments = std::make_shared<ChipArguments>();
  CLI::App* lists = sub.add_subcommand("list", "The presets under configs/chip");
  CLI::App* shows = add_action(sub, "show", "The chip as YAML, every key written out", *arguments);
  add_action(sub, "check", "Whether a chip's numbers are in range and fit together", *arguments);
  return [=]() -> ExitCode {
    if (lists->parsed()) return list();
    if (!shows->parsed()) return check(*arguments);
    print_result(show_chip(config::load_chip(arguments->chip, arguments->set)));
    return success;
  };
});

}  // namespace
}  // namespace heddle::app
