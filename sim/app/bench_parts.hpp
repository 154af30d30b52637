// SPDX-License-Identifier: Apache-2.0
// What heddle bench runs: a kernel, which heddle profile runs too; and besides kernels each part adds a subcommand of
// its own under bench.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kernels/registry/kernel.hpp"
#include "sim/app/command.hpp"

namespace heddle::app {

// Each adds itself and returns what runs it, once the command line was read.
std::function<ExitCode()> add_bench_dram(CLI::App& bench);
std::function<ExitCode()> add_bench_noc(CLI::App& bench);

// One kernel, once.
struct KernelBench {
  std::string kernel;
  std::string shape;
  std::string dtype;
  std::uint64_t seed = 1;
  bool no_check = false;
  bool bisect = false;
  std::optional<double> tolerance;  // of bisect; else the kernel's own
  std::string target = "sim";
  std::string compare;      // targets, with commas; empty: run on `target` alone
  bool chip_given = false;  // the command line names a chip
  CommonOptions common;
};
// --shape, --dtype, --seed, --no-check
void add_kernel_options(CLI::App& sub, KernelBench& bench);
ExitCode bench_kernel(const KernelBench& bench);
// The dtype of that name, or the kernel's first for none. Throws HDL-APP-08.
DType kernel_dtype(const kernels::KernelDef& kernel, const std::string& text);

}  // namespace heddle::app
