// SPDX-License-Identifier: Apache-2.0
// A simulator whose arrays are RTL.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/rtl/rtl_mxu.hpp"
#include "sim/top/simulator_device.hpp"

namespace heddle::rtl {

// Throws HDL-RTL-01 without Verilator, HDL-RTL-03 (unsupported) where no variant is this chip's array. Observers may be
// null.
std::unique_ptr<top::SimulatorDevice> make_rtl_device(const std::string& chip,
                                                      const std::vector<std::string>& overrides, hdl_mode mode,
                                                      IRtlObserver* rows = nullptr,
                                                      compute::IMxuObserver* courses = nullptr);

}  // namespace heddle::rtl
