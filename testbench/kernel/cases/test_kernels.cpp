// SPDX-License-Identifier: Apache-2.0
// Every registered kernel, every dtype it comes in, every shape class it declares, on chips of 1, 2 and 4 cores: right
// values against its reference, and the same bits from the clocked run as from the clockless one.
//   test_kernels KERNEL DTYPE MODE CORES     one process a line: the simulator elaborates once a process
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "isa/base/error.hpp"
#include "kernels/harness/run_case.hpp"
#include "sim/top/simulator_api.h"

namespace {

using namespace heddle;

int run(const std::string& kernel_name, const std::string& dtype_name, const std::string& mode_name,
        const std::string& cores) {
  const kernels::KernelDef& kernel = kernels::find_kernel(kernel_name);
  const hdl_mode mode = mode_name == "values"   ? HDL_MODE_VALUES
                        : mode_name == "timing" ? HDL_MODE_TIMING
                                                : HDL_MODE_FULL;
  sdk::OpenOptions options;
  options.chip = std::string(HEDDLE_SOURCE_DIR) + "/configs/chip/edge.yaml";
  options.overrides = {"cores=" + cores};
  options.mode = mode;
  sdk::Device device(hdl_simulator_api(), options);
  int failures = 0;
  for (const kernels::Shape& shape : kernel.test_shapes) {
    const kernels::CaseResult r = run_case(device, mode, kernel, shape, *parse_dtype(dtype_name));
    for (const kernels::TensorError& e : r.errors)
      fmt::print("{} {} {}: {} |error| {:.3g} relative {:.3g} (got {}, want {} at {}) {}\n", kernel_name, dtype_name,
                 r.shape, e.tensor, e.difference.max_abs, e.difference.max_rel, e.difference.got, e.difference.want,
                 e.difference.at, e.within ? "ok" : "FAILED");
    fmt::print("{} {} {}: {} cycles, {:.1f} % of the roofline\n", kernel_name, dtype_name, r.shape, r.cycles,
               100 * r.roofline_share());
    if (!r.correct()) ++failures;
    if (mode != HDL_MODE_VALUES && r.cycles == 0) ++failures;
    if (r.roofline_share() > 1.0) {
      fmt::print("faster than the roofline allows: FAILED\n");
      ++failures;
    }
  }
  return failures == 0 && !kernel.test_shapes.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 5) return run(argv[1], argv[2], argv[3], argv[4]);
    fmt::print(stderr, "usage: test_kernels KERNEL DTYPE MODE CORES\n");
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
  }
  return EXIT_FAILURE;
}

// libsystemc refers to it; this program has its own main.
int sc_main(int, char**) { return 0; }
