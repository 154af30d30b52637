// SPDX-License-Identifier: Apache-2.0
// The library's kernels under the happens-before oracle: no schedule of the engines may change a value.
#include "kernels/registry/kernel.hpp"
#include "sdk/runtime/device.hpp"
#include "sim/top/simulator_api.h"
#include "testbench/support/catch.hpp"
#include "testbench/unit/sdk/happens_before.hpp"

using namespace heddle;

namespace {

sdk::Target target_of(const std::string& preset) {
  sdk::OpenOptions o;
  o.chip = std::string(HEDDLE_SOURCE_DIR) + "/configs/chip/" + preset + ".yaml";
  o.overrides = {"cores=1"};
  o.mode = HDL_MODE_VALUES;
  return sdk::Device(hdl_simulator_api(), o).target();
}

void check(const kernels::KernelDef& kernel, const sdk::Target& target, const std::string& preset) {
  // A tensor each megabyte, as far as one core's order cares; tables are zeros.
  for (const kernels::Shape& shape : kernel.test_shapes) {
    const DType dtype = kernel.dtypes.front();
    if (kernel.uses_mxu && !target.supports(dtype)) continue;
    std::vector<std::uint64_t> arguments;
    for (std::size_t i = 0; i < kernel.tensors(shape, dtype).size(); ++i) arguments.push_back((i + 1) << 24);
    if (kernel.extra_arguments)
      for (const std::uint64_t a : kernel.extra_arguments(shape)) arguments.push_back(a);
    const isa::ProgramImage image = kernel.build(target, shape, dtype);
    const auto report = sdk::test::check_order(image, arguments, preset);
    INFO(kernel.name << " " << kernels::to_string(kernel, shape) << " on " << preset);
    REQUIRE(report.faults == std::vector<std::string>());
    REQUIRE(report.races == std::vector<std::string>());
  }
}

}  // namespace

TEST_CASE("No kernel of the library has a race on one array", "[sdk][order][kernels]") {
  const sdk::Target target = target_of("edge");
  for (const kernels::KernelDef* kernel : kernels::all_kernels()) check(*kernel, target, "edge");
}

TEST_CASE("No kernel of the library has a race on two arrays and eight DMA engines", "[sdk][order][kernels]") {
  const sdk::Target target = target_of("tpu-v6e");
  for (const kernels::KernelDef* kernel : kernels::all_kernels()) check(*kernel, target, "tpu-v6e");
}
