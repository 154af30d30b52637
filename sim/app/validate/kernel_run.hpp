// SPDX-License-Identifier: Apache-2.0
// One kernel's timing on one chip, for adapters: what heddle bench --mode timing runs.
#pragma once
#include <string>
#include <vector>

#include "kernels/harness/run_case.hpp"
#include "sim/app/validate/table.hpp"

namespace heddle::validate {

// `overrides` are the chip's. Values are not computed. Throws what the device and the kernel report.
kernels::CaseResult run_kernel(const std::string& chip, const std::vector<std::string>& overrides,
                               const kernels::KernelDef& kernel, const kernels::Shape& shape, DType dtype);

// The kernel's standard sizes with those of `sizes` in their place. Throws HDL-KRN-02 for a size that it does not have.
kernels::Shape shape_of(const kernels::KernelDef& kernel, const kernels::Shape& sizes);

// Column dtype of the row. Throws HDL-VAL-08 at its place for a type that the kernel does not come in.
DType dtype_of(const Row& row, const kernels::KernelDef& kernel);

}  // namespace heddle::validate
