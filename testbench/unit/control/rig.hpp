// SPDX-License-Identifier: Apache-2.0
// A small machine and a way to run assembly text on it.
#pragma once
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "isa/asm/assembler.hpp"
#include "sim/config/chip_spec.hpp"
#include "sim/control/program.hpp"
#include "sim/control/values_machine.hpp"
#include "sim/exec/machine_memory.hpp"

namespace heddle::test {

inline config::ChipSpec small_chip(std::int64_t cores = 2) {
  config::ChipSpec c;
  c.name = "small";
  c.clock_hz = 1'000'000'000;
  c.cores = cores;
  c.core.scratchpad.size_bytes = 64 << 10;
  c.core.accumulator.size_bytes = 32 << 10;
  c.core.smem.size_bytes = 4 << 10;
  c.core.mxu.rows = c.core.mxu.cols = 16;
  c.core.mxu.count = 2;
  c.core.mxu.rate.fill({1, 1});
  c.core.vpu.lanes = 16;
  c.core.dma.engines = 2;
  c.core.sequencer.queue_depth = 4;
  c.core.semaphores = 64;
  c.memory.capacity_bytes = 1 << 20;
  return c;
}

struct Rig {
  explicit Rig(std::string_view text, std::int64_t cores = 1, unsigned host_threads = 1)
      : chip(small_chip(cores)),
        memory(chip, true),
        program(isa::assemble(text, "k.s")),
        machine(chip, memory, host_threads) {}

  control::LaunchCounts run(const std::vector<std::uint64_t>& arguments = {}) {
    std::uint64_t at = 0x8000;  // constants
    for (const isa::Constant& c : program.image().constants) {
      memory.host_write(0, at, c.bytes.data(), c.bytes.size());
      at += (c.bytes.size() + 63) / 64 * 64;
    }
    return machine.run(program, program.image().entries.at(0).instruction, 0x8000, arguments);
  }
  template <class T>
  void put(std::uint64_t address, const std::vector<T>& values) {
    memory.host_write(0, address, values.data(), values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> get(std::uint64_t address, std::size_t n) {
    std::vector<T> out(n);
    memory.host_read(0, address, out.data(), n * sizeof(T));
    return out;
  }

  config::ChipSpec chip;
  exec::MachineMemory memory;
  control::Program program;
  control::ValuesMachine machine;
};

}  // namespace heddle::test
