// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/array_run.hpp"

#include "isa/asm/assembler.hpp"
#include "sdk/runtime/device.hpp"
#include "sim/top/simulator_api.h"

namespace heddle::validate {
namespace {

std::uint64_t cycles_of(sdk::Device& device, const std::string& text) {
  const isa::ProgramImage image = isa::assemble(text, "array");
  const sdk::LoadedImage loaded = device.load(image);
  const sdk::Counters before = device.counters();
  device.run(loaded, image.entries.front().name, {});
  return (device.counters() - before)["cycles"];
}

}  // namespace

double own_cycles(const Case& c, const std::string& with, const std::string& without) {
  sdk::Device device(hdl_simulator_api(), {c.chip, c.overrides, HDL_MODE_TIMING, 1});
  const std::uint64_t all = cycles_of(device, with);
  return static_cast<double>(all - cycles_of(device, without));
}

}  // namespace heddle::validate
