// SPDX-License-Identifier: Apache-2.0
// Instruments look on: with checkers, a trace and a profile every shipped kernel takes the same cycles and gives the
// same bits as without any; with a trace and a profile so do the programs of the golden list.
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "isa/asm/assembler.hpp"
#include "isa/base/error.hpp"
#include "kernels/harness/run_case.hpp"
#include "sim/top/simulator_api.h"
#include "sim/trace/stalls.hpp"
#include "sim/trace/tracer.hpp"
#include "testbench/support/catch.hpp"

namespace heddle {
namespace {

constexpr const char* chip = HEDDLE_SOURCE_DIR "/configs/chip/edge.yaml";

sdk::OpenOptions options(int cores, const char* check) {
  return {.chip = chip,
          .overrides = {"cores=" + std::to_string(cores), std::string("check=") + check},
          .mode = HDL_MODE_FULL,
          .host_threads = 1};
}

// A trace and a profile of what runs while it lives.
struct Watched {
  std::string file =
      std::filesystem::temp_directory_path() / ("heddle-instruments-" + std::to_string(getpid()) + ".json");
  trace::Programs programs;
  trace::Recorder recorder{programs};
  trace::Tracer tracer{trace::make_trace_sink(file), programs, recorder};
  trace::Stalls stalls{programs};
  std::optional<trace::Installed> installed;
  Watched() {
    recorder.add(&tracer);
    recorder.add(&stalls);
    installed.emplace(&recorder);
  }
  ~Watched() {
    tracer.finish();
    std::filesystem::remove(file);
  }
};

TEST_CASE("no shipped kernel's cycles or bits depend on who looks on") {
  for (const kernels::KernelDef* kernel : kernels::all_kernels()) {
    if (kernel->test_shapes.empty()) continue;
    const auto run = [&](const char* check) {
      sdk::Device device(hdl_simulator_api(), options(2, check));
      return kernels::run_case(device, HDL_MODE_FULL, *kernel, kernel->test_shapes.back(), kernel->dtypes.front());
    };
    const kernels::CaseResult plain = run("none");
    const kernels::CaseResult checked = run("all");
    INFO(kernel->name);
    REQUIRE(plain.values_hash);
    CHECK(checked.cycles == plain.cycles);
    CHECK(checked.values_hash == plain.values_hash);
    const Watched watched;
    const kernels::CaseResult seen = run("all");
    CHECK(seen.cycles == plain.cycles);
    CHECK(seen.values_hash == plain.values_hash);
    CHECK(watched.stalls.total().value() > 0);  // it did look on
  }
}

TEST_CASE("nor do those of the golden programs") {
  for (const char* name : {"stream_weights.s", "transfers.s", "vector.s", "remote.s"}) {
    const isa::ProgramImage image =
        isa::assemble_file(std::string(HEDDLE_SOURCE_DIR "/testbench/golden/cycles/programs/") + name);
    // Without checkers: they move what nobody wrote, and some race, to load the machine.
    const auto run = [&] {
      sdk::Device device(hdl_simulator_api(), options(2, "none"));
      device.run(device.load(image), "start", {});
      return device.counters()["cycles"];
    };
    INFO(name);
    const std::uint64_t plain = run();
    const Watched watched;
    CHECK(run() == plain);
    CHECK(watched.stalls.total().value() > 0);
  }
}

}  // namespace
}  // namespace heddle
