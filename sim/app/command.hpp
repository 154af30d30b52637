// SPDX-License-Identifier: Apache-2.0
// How a subcommand joins the program: its .cpp defines one Command at namespace scope, and main() finds it. Adding a
// subcommand is one file and one line of CMake.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/base/strong.hpp"

namespace heddle::app {

// What main() returns. Errors thrown as heddle::Error become usage, or failed if they are our own bug.
enum ExitCode : int {
  success = 0,
  failed = 1,  // the run's own check failed
  usage = 2,   // bad usage or input
};

class Command {
 public:
  // Adds the options of a subcommand to `sub` and returns what runs it. The function's captures live until main() ends.
  using Setup = std::function<std::function<ExitCode()>(CLI::App& sub)>;
  Command(std::string name, std::string summary, Setup setup);

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  std::function<ExitCode()> setup(CLI::App& sub) const { return setup_(sub); }

  static std::vector<const Command*> all();  // by name

 private:
  std::string name_;
  std::string summary_;
  Setup setup_;
};

// The run once more, on a chip with a part that costs no time (what_if.hpp).
struct WhatIf {
  std::string name, text;
  std::vector<std::string> overrides;  // of the chip's keys
  TimeFs time{};
};

// Options that every command with a chip has.
struct CommonOptions {
  std::string chip = "edge";
  std::vector<std::string> set;
  std::string mode;                // values, timing or full; empty: the command's own default
  std::string json;                // a file, "-" for stdout, empty for none
  std::string trace;               // a file, empty for none
  std::string jitter;              // "SEED" or "SEED,MAX" (sim/control/jitter.hpp); empty: none
  std::uint32_t host_threads = 0;  // that compute values; 0: as many as help
  bool profile = false;            // say where each engine's time went
  std::vector<WhatIf> what_if;     // that a profile shows beside the run
  bool quiet = false;
  std::uint64_t max_prints = 1000;  // that are shown
  bool full_prints = false;         // every element of what a program prints
};
void add_chip_options(CLI::App& sub, CommonOptions& options);  // --chip, --set
void add_json_option(CLI::App& sub, CommonOptions& options);   // --json
void add_common_options(
    CLI::App& sub,
    CommonOptions& options);  // all of the above, --trace, --profile, --mode, --host-threads, --quiet

}  // namespace heddle::app
