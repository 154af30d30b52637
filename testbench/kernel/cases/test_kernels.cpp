// SPDX-License-Identifier: Apache-2.0
// Every registered kernel, every dtype it comes in, every shape class it declares, on chips of 1, 2 and 4 cores: right
// values against its reference, and the same bits from the clocked run as from the clockless one.
//   test_kernels KERNEL DTYPE MODE CORES [TARGET [KEY=VALUE]...]     one process a line: the simulator elaborates once
//   a process
// TARGET: sim (the standard), reference, or rtl, which runs beside sim and must take the same cycles and leave the same
// bits; 77 where it was not built in.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "isa/base/error.hpp"
#include "kernels/harness/run_case.hpp"
#include "sim/rtl/rtl_api.h"
#include "sim/top/reference_api.h"
#include "sim/top/simulator_api.h"

namespace {

using namespace heddle;

// RTL is clocked cell by cell: shapes that take it minutes are left to the simulator.
constexpr double most_rtl_macs = 4e6;

// Each shape on the simulator, then on the RTL: two devices, one after the other.
int run_rtl(const std::string& kernel_name, const std::string& dtype_name, const std::string& cores) {
  const kernels::KernelDef& kernel = kernels::find_kernel(kernel_name);
  const DType dtype = *parse_dtype(dtype_name);
  int failures = 0;
  int ran = 0;
  for (const kernels::Shape& shape : kernel.test_shapes) {
    if (kernel.work(shape, dtype).macs > most_rtl_macs) continue;
    std::vector<kernels::CaseResult> results;
    for (const hdl_api* api : {hdl_simulator_api(), hdl_rtl_api()}) {
      sdk::OpenOptions options;
      options.chip = std::string(HEDDLE_SOURCE_DIR) + "/configs/chip/rtl.yaml";
      // Where engines compete (for SPM's banks, for the network), the simulator serves first whom it hears of first,
      // and its arrays know ahead when they will be done. So here they do not compete, and not a cycle may differ.
      options.overrides = {"cores=" + cores, "core.dma.engines=1", "core.scratchpad.banks=4096"};
      sdk::Device device(api, options);
      results.push_back(run_case(device, HDL_MODE_FULL, kernel, shape, dtype));
    }
    const kernels::CaseResult& sim = results[0];
    const kernels::CaseResult& rtl = results[1];
    const bool ok = sim.correct() && rtl.correct() && sim.cycles == rtl.cycles && sim.values_hash == rtl.values_hash;
    fmt::print("{} {} {}: simulator {} cycles, RTL {}; the outputs are {}{}\n", kernel_name, dtype_name, rtl.shape,
               sim.cycles, rtl.cycles, sim.values_hash == rtl.values_hash ? "the same" : "different",
               ok ? "" : ": FAILED");
    failures += ok ? 0 : 1;
    ++ran;
  }
  return failures == 0 && ran > 0 ? 0 : 1;
}

int run(const std::string& kernel_name, const std::string& dtype_name, const std::string& mode_name,
        const std::string& cores, const hdl_api* api, const std::vector<std::string>& more) {
  const kernels::KernelDef& kernel = kernels::find_kernel(kernel_name);
  const hdl_mode mode = mode_name == "values"   ? HDL_MODE_VALUES
                        : mode_name == "timing" ? HDL_MODE_TIMING
                                                : HDL_MODE_FULL;
  sdk::OpenOptions options;
  options.chip = std::string(HEDDLE_SOURCE_DIR) + "/configs/chip/edge.yaml";
  options.overrides = more;
  options.overrides.push_back("cores=" + cores);
  options.mode = mode;
  sdk::Device device(api, options);
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
    const std::string target = argc >= 6 ? argv[5] : "sim";
    if (target == "rtl") return run_rtl(argv[1], argv[2], argv[4]);
    if (argc >= 5)
      return run(argv[1], argv[2], argv[3], argv[4], target == "sim" ? hdl_simulator_api() : hdl_reference_api(),
                 {argv + std::min(argc, 6), argv + argc});
    fmt::print(stderr, "usage: test_kernels KERNEL DTYPE MODE CORES [sim|rtl|reference [KEY=VALUE]...]\n");
  } catch (const Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    if (e.id() == "HDL-RTL-01") return 77;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
  }
  return EXIT_FAILURE;
}

// libsystemc refers to it; this program has its own main.
int sc_main(int, char**) { return 0; }
