// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/kernel_run.hpp"

#include <fmt/format.h>

#include "sim/top/simulator_api.h"

namespace heddle::validate {

kernels::CaseResult run_kernel(const std::string& chip, const std::vector<std::string>& overrides,
                               const kernels::KernelDef& kernel, const kernels::Shape& shape, DType dtype) {
  sdk::Device device(hdl_simulator_api(), {chip, overrides, HDL_MODE_TIMING, 1});
  return kernels::run_case(device, HDL_MODE_TIMING, kernel, shape, dtype, 1, false);
}

kernels::Shape shape_of(const kernels::KernelDef& kernel, const kernels::Shape& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return kernels::parse_shape(kernel, text);
}

}  // namespace heddle::validate
