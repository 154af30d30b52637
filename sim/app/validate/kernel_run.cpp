// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/kernel_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "isa/base/error.hpp"
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

DType dtype_of(const Row& row, const kernels::KernelDef& kernel) {
  const std::optional<DType> dtype = parse_dtype(row.text("dtype"));
  if (dtype && std::find(kernel.dtypes.begin(), kernel.dtypes.end(), *dtype) != kernel.dtypes.end()) return *dtype;
  std::vector<std::string_view> known;
  for (const DType t : kernel.dtypes) known.push_back(name(t));
  fail_at(row.place("dtype"), ErrorKind::bad_input, "HDL-VAL-08", "{} does not come in '{}'; it comes in {}",
          kernel.name, row.text("dtype"), fmt::join(known, ", "));
}

}  // namespace heddle::validate
