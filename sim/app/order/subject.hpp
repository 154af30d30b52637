// SPDX-License-Identifier: Apache-2.0
// What heddle check runs again and again: an image, what it is given, and what is looked at afterwards.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/base/dtype.hpp"
#include "isa/image/image.hpp"
#include "sim/app/bench_parts.hpp"
#include "sim/app/run_program.hpp"

namespace heddle::app {

// A launch argument.
struct Operand {
  std::string name;  // "c", "argument 1"
  bool buffer = false;
  std::uint64_t number = 0;           // unless it is the address of a buffer
  std::vector<std::uint8_t> bytes{};  // of a buffer
  bool upload = false;                // the bytes, before the run
  bool compared = false;              // with those of the other runs, afterwards
  std::optional<DType> dtype{};       // where it is known
};

struct Subject {
  std::string title;  // "gemm bf16 m=1,...", "race"
  isa::ProgramImage image;
  std::vector<std::string> entries;  // launched in this order with the same arguments
  std::string timed;                 // the one whose cycles count
  std::vector<Operand> operands;
  bool on_chip = false;  // the scratchpads, accumulators and scalar memories are compared too
};

// A kernel's outputs are compared; what it leaves in the core's memories is nobody's business.
Subject kernel_subject(const KernelBench& bench);
// Of a program every buffer is, and all memories of the cores.
Subject program_subject(const ProgramRun& run);

}  // namespace heddle::app
