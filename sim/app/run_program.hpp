// SPDX-License-Identifier: Apache-2.0
// heddle run PROGRAM.s | IMAGE.hdi: one launch of a program on a target.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "isa/image/image.hpp"
#include "sim/app/command.hpp"

namespace heddle::app {

struct ProgramRun {
  std::string program;             // assembly text, or an image
  std::string entry;               // empty: the only one, or the first
  std::vector<std::string> args;   // in order; see parse_argument()
  std::vector<std::string> dumps;  // "N=FILE": the buffer of argument N (from 0) after the run
  std::string target = "sim";
  bool chip_given = false;
  bool bisect = false;              // of a run file: its model
  std::optional<double> tolerance;  // of that
  CommonOptions common;
};

// A launch argument as it is written:
//   42, -3, 0x1f      the number
//   fp32:1.5          the bits of an fp32
//   zeros:4KiB        the address of so many zero bytes in HBM
//   file:x.bin        the address of a file's bytes in HBM
struct Argument {
  bool is_buffer = false;
  std::uint64_t number = 0;
  std::vector<std::uint8_t> bytes;  // of a buffer
};
// Throws bad_input HDL-APP-03.
Argument parse_argument(const std::string& text);

// Assembly text or an image, by the ending.
isa::ProgramImage load_program(const std::string& path);
// The named entry, or the first. Throws HDL-APP-04.
const isa::Entry& find_entry(const isa::ProgramImage& image, const std::string& name);
// Throws HDL-APP-06 unless the entry takes so many.
void require_arguments(const isa::Entry& entry, std::size_t given, const std::string& program);

ExitCode run_program(const ProgramRun& run);

// --entry, --arg, --dump, --target
void add_program_options(CLI::App& sub, ProgramRun& run);
// The same, or a run file's model, by the ending of run.program. Throws HDL-APP-07 for another ending.
ExitCode run_what(const ProgramRun& run);

}  // namespace heddle::app
