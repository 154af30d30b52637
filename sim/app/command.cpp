// SPDX-License-Identifier: Apache-2.0
#include "sim/app/command.hpp"

#include <algorithm>

namespace heddle::app {
namespace {

std::vector<const Command*>& registry() {
  static std::vector<const Command*> commands;
  return commands;
}

}  // namespace

Command::Command(std::string name, std::string summary, Setup setup)
    : name_(std::move(name)), summary_(std::move(summary)), setup_(std::move(setup)) {
  registry().push_back(this);
}

std::vector<const Command*> Command::all() {
  std::vector<const Command*> sorted = registry();
  std::sort(sorted.begin(), sorted.end(), [](const Command* a, const Command* b) { return a->name() < b->name(); });
  return sorted;
}

void add_chip_options(CLI::App& sub, CommonOptions& options) {
  sub.add_option("--chip", options.chip, "A chip's YAML file, or a preset's name (see heddle chip list)")
      ->type_name("C.yaml|NAME")
      ->capture_default_str();
  sub.add_option("--set", options.set, "Override a key, such as core.mxu.rows=128; may be given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_json_option(CLI::App& sub, CommonOptions& options) {
  sub.add_option("--json", options.json, "Write the result as JSON to a file, or to stdout for -")->type_name("FILE|-");
}

void add_common_options(CLI::App& sub, CommonOptions& options) {
  add_chip_options(sub, options);
  add_json_option(sub, options);
  sub.add_option("--trace", options.trace,
                 "Write what every engine did and when: .pftrace for ui.perfetto.dev, .json for Chrome's format")
      ->type_name("FILE");
  sub.add_flag("--profile", options.profile, "Say where each engine's time went: a reason for every cycle");
  sub.add_option("--mode", options.mode, "values: no clock; timing: no bulk data; full: both")
      ->check(CLI::IsMember({"values", "timing", "full"}))
      ->type_name("values|timing|full");
  sub.add_option("--host-threads", options.host_threads, "That compute values; 0: as many as help. No result changes")
      ->check(CLI::Range(0, 1024))
      ->type_name("N")
      ->capture_default_str();
  // The device takes it among its overrides.
  sub.add_option_function<std::string>(
         "--check", [&options](const std::string& list) { options.set.push_back("check=" + list); },
         "Which checkers look on in the modes values and full (docs/hazards.md): all, none, or a list of races, "
         "bounds, uninit")
      ->type_name("LIST")
      ->default_str("all");
  sub.add_option_function<std::string>(
         "--jitter",
         [&options](const std::string& text) {
           options.jitter = text;
           options.set.push_back("jitter=" + text);
         },
         "Delay engines, transfers and the sequencer at random, by up to MAX cycles each (4096), as hardware may; the "
         "values mode draws an order of the engines (docs/hazards.md)")
      ->type_name("SEED[,MAX]");
  sub.add_option("--max-prints", options.max_prints, "How much of what programs print is shown (docs/debugging.md)")
      ->type_name("N")
      ->capture_default_str();
  sub.add_flag("--full-prints", options.full_prints, "Show every element of printed tiles, not the corners alone");
  sub.add_flag("--quiet", options.quiet, "No messages and no progress on stderr");
}

}  // namespace heddle::app
