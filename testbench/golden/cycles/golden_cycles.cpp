// SPDX-License-Identifier: Apache-2.0
// Cycles, instructions and bytes of a fixed list, tolerance zero.
//   golden_cycles LIST              runs the list and prints the results
//   golden_cycles LIST EXPECTED     compares with them; exit 1 and one line a difference when they moved
//   golden_cycles LIST EXPECTED TRACE.pftrace|.json    the same while a trace is written
// A row of the list: `kernel NAME DTYPE SHAPE CHIP` or `program FILE.s CHIP`; # begins a comment.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "isa/asm/assembler.hpp"
#include "isa/base/error.hpp"
#include "kernels/harness/run_case.hpp"
#include "sim/top/simulator_api.h"
#include "sim/trace/tracer.hpp"

namespace {

using namespace heddle;

std::string chip_path(const std::string& name) {
  return name.find('/') == std::string::npos ? name : std::string(HEDDLE_SOURCE_DIR) + "/" + name;
}

std::string row_of(const std::string& name, const sdk::Counters& c) {
  return fmt::format("{} | cycles {} instructions {} tile_instructions {} hbm_read {} hbm_written {}", name,
                     c["cycles"], c["instructions"], c["tile_instructions"], c["hbm.bytes_read"],
                     c["hbm.bytes_written"]);
}

std::string run_row(const std::string& line) {
  std::istringstream in(line);
  std::string kind, what, dtype, shape, chip;
  in >> kind >> what;
  sdk::OpenOptions options;
  options.mode = HDL_MODE_TIMING;
  options.host_threads = 1;
  if (kind == "program") {
    in >> chip;
    options.chip = chip_path(chip);
    sdk::Device device(hdl_simulator_api(), options);
    const sdk::LoadedImage image =
        device.load(isa::assemble_file(std::string(HEDDLE_SOURCE_DIR) + "/testbench/golden/cycles/programs/" + what));
    device.run(image, "start", {});
    return row_of(line, device.counters());
  }
  in >> dtype >> shape >> chip;
  options.chip = chip_path(chip);
  sdk::Device device(hdl_simulator_api(), options);
  const kernels::KernelDef& kernel = kernels::find_kernel(what);
  const auto type = parse_dtype(dtype);
  if (!type) fail(ErrorKind::bad_input, "HDL-GOLD-01", "dtype '{}' in '{}'", dtype, line);
  const kernels::CaseResult r =
      run_case(device, HDL_MODE_TIMING, kernel, kernels::parse_shape(kernel, shape), *type, 1, false);
  return row_of(line, r.counters);
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) fail(ErrorKind::bad_input, "HDL-GOLD-02", "cannot read {}", path);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') out.push_back(line);
  return out;
}

std::string run_traced(const std::string& line, const std::string& trace) {
  trace::Programs programs;
  trace::Recorder recorder(programs);
  trace::Tracer tracer(trace::make_trace_sink(trace), programs, recorder);
  recorder.add(&tracer);
  const trace::Installed installed(&recorder);
  std::string row = run_row(line);
  tracer.finish();
  return row;
}

int run(const std::string& list, const char* expected_path, const char* trace) {
  std::vector<std::string> results;
  for (const std::string& line : lines_of(list))
    results.push_back(trace == nullptr ? run_row(line) : run_traced(line, trace));
  if (expected_path == nullptr) {
    for (const std::string& r : results) fmt::print("{}\n", r);
    return EXIT_SUCCESS;
  }
  const auto key = [](const std::string& r) { return r.substr(0, r.find(" |")); };
  std::map<std::string, std::string> expected;
  for (const std::string& line : lines_of(expected_path)) expected[key(line)] = line;
  int moved = 0;
  for (const std::string& r : results) {
    const auto it = expected.find(key(r));
    if (it != expected.end() && it->second == r) continue;
    ++moved;
    fmt::print("golden  {}\nnow     {}\n", it == expected.end() ? "(none)" : it->second, r);
  }
  if (expected.size() != results.size()) {
    ++moved;
    fmt::print("{} rows in the list, {} in {}\n", results.size(), expected.size(), expected_path);
  }
  if (moved != 0) fmt::print("{} moved; testbench/golden/cycles/approve.sh says how to approve\n", moved);
  return moved == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc >= 2 && argc <= 4) return run(argv[1], argc > 2 ? argv[2] : nullptr, argc > 3 ? argv[3] : nullptr);
    fmt::print(stderr, "usage: golden_cycles LIST [EXPECTED [TRACE]]\n");
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
  }
  return EXIT_FAILURE;
}

// libsystemc refers to it; this program has its own main.
int sc_main(int, char**) { return 0; }
