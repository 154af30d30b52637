// SPDX-License-Identifier: Apache-2.0
#include "sim/top/reference_api.h"

#include "isa/base/error.hpp"
#include "sim/exec/reference_mxu.hpp"
#include "sim/top/device_face.hpp"

namespace {

using heddle::top::SimulatorDevice;

std::unique_ptr<SimulatorDevice> make_reference(const std::string& chip, const std::vector<std::string>& overrides,
                                                hdl_mode mode, unsigned) {
  if (mode != HDL_MODE_VALUES)
    heddle::fail(heddle::ErrorKind::unsupported, "HDL-DEV-05",
                 "the CPU reference has no clock; it runs in values mode");
  heddle::top::DeviceParts parts;
  parts.mxu_values = heddle::exec::make_reference_mxus;
  return std::make_unique<SimulatorDevice>(chip, overrides, mode, 1, parts);
}

constexpr hdl_api reference = heddle::top::device_face<make_reference>("reference");

}  // namespace

extern "C" const hdl_api* hdl_reference_api(void) { return &reference; }
