// SPDX-License-Identifier: Apache-2.0
// heddle bench KERNEL --bisect: where a kernel's run leaves its reference.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/harness/run_case.hpp"
#include "sim/app/bisect/divergence.hpp"

namespace heddle::app {

struct KernelBisection {
  std::string kernel, shape, chip;
  DType dtype = DType::fp32;
  hdl_mode mode = HDL_MODE_FULL;
  double tolerance = 0;
  std::vector<kernels::TensorError> errors;  // one an output
  std::uint64_t instructions = 0;            // of engines, that were followed
  std::string launch;                        // "main": which the divergence lies in
  std::optional<Divergence> divergence;

  std::string text() const;
  nlohmann::json json() const;
};

// Runs the kernel once; where it is wrong, once more to see what lies behind. tolerance: instead of the kernel's own.
// Throws as kernels::run_case().
KernelBisection bisect_kernel(const hdl_api* api, const sdk::OpenOptions& device, const kernels::KernelDef& kernel,
                              const kernels::Shape& shape, DType dtype, std::uint64_t seed,
                              std::optional<double> tolerance = std::nullopt);

}  // namespace heddle::app
