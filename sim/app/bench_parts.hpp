// SPDX-License-Identifier: Apache-2.0
// What heddle bench can run besides kernels: each part adds a subcommand of its own under bench.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "sim/app/command.hpp"

namespace heddle::app {

// Each adds itself and returns what runs it, once the command line was read.
std::function<ExitCode()> add_bench_dram(CLI::App& bench);
std::function<ExitCode()> add_bench_noc(CLI::App& bench);

}  // namespace heddle::app
