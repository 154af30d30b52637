// SPDX-License-Identifier: Apache-2.0
// The MXU's timing model and sim/exec against the RTL: the same random programs, every cycle of every event, every bit
// of every result. The control of each is its own: mxu.cpp's rules there, ws_control.sv and os_control.sv here.
#include <fmt/format.h>

#include <memory>

#include "isa/asm/assembler.hpp"
#include "isa/base/error.hpp"
#include "sim/exec/reference_mxu.hpp"
#include "sim/rtl/rtl_device.hpp"
#include "testbench/rtl/random_program.hpp"
#include "testbench/rtl/record.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::testing;

namespace {

const std::string plain = HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml";

// ACC at the end.
std::vector<std::uint8_t> run(top::SimulatorDevice& device, const RandomProgram& p, std::uint64_t& cycles) {
  const auto upload = [&](const std::vector<std::uint8_t>& bytes) {
    const std::uint64_t at = device.allocate(bytes.size(), 64);
    device.write(at, bytes.data(), bytes.size());
    return at;
  };
  const std::vector<std::uint64_t> arguments{upload(p.spm), upload(p.acc), upload(p.acc)};
  device.launch(device.load_image(isa::serialize(isa::assemble(p.text, "random.s"))), "start", arguments);
  device.wait();
  for (const auto& row : device.count().rows())
    if (row.name == "cycles") cycles = row.value;
  std::vector<std::uint8_t> out(p.acc.size());
  device.read(arguments[2], out.data(), out.size());
  return out;
}

struct Totals {
  std::size_t programs = 0, instructions = 0, rows = 0;
};

void compare(const rtl::Variant& variant, std::uint32_t seed, Totals& totals) {
  const RandomProgram p = random_program(variant.geometry, seed);
  std::uint64_t model_cycles = 0;
  std::uint64_t rtl_cycles = 0;
  std::uint64_t none = 0;
  ModelRecorder model;
  RtlRecorder rtl;
  std::vector<std::uint8_t> model_acc, rtl_acc, reference_acc;
  std::string what;
  try {
    {
      top::DeviceParts parts;
      parts.mxu_observer = &model;
      top::SimulatorDevice device(plain, p.overrides, HDL_MODE_FULL, 1, parts);
      model.watch(device);
      model_acc = run(device, p, model_cycles);
    }
    {
      const auto device = rtl::make_rtl_device(plain, p.overrides, HDL_MODE_FULL, &rtl, &rtl);
      rtl.watch(*device);
      rtl_acc = run(*device, p, rtl_cycles);
    }
    top::DeviceParts parts;
    parts.mxu_values = exec::make_reference_mxus;
    top::SimulatorDevice device(plain, p.overrides, HDL_MODE_VALUES, 1, parts);
    reference_acc = run(device, p, none);
    what = difference(model.courses, rtl.courses);
    if (what.empty() && model_cycles != rtl_cycles)
      what = fmt::format("the launch: model {} cycles, RTL {}", model_cycles, rtl_cycles);
    if (what.empty() && rtl_acc != model_acc) what = "ACC at the end: the model's is not the RTL's";
    if (what.empty() && rtl_acc != reference_acc) what = "ACC at the end: the plain loops' is not the RTL's";
  } catch (const Error& e) {
    what = e.what();
  }
  if (!what.empty()) {
    std::string settings;
    for (const std::string& o : p.overrides) settings += "  --set " + o + "\n";
    FAIL(variant.name << ", seed " << seed << ": " << what << "\n" << settings << p.text);
  }
  ++totals.programs;
  totals.instructions += model.courses.size();
  for (const auto& [number, c] : model.courses) totals.rows += c.rows_out.size();
}

void compare_all(const std::string& prefix, std::uint32_t seeds) {
  Totals totals;
  for (const rtl::Variant& v : rtl::variants())
    if (v.name.starts_with(prefix))
      for (std::uint32_t seed = 1; seed <= seeds; ++seed) compare(v, seed, totals);
  fmt::print("{}*, seeds 1 to {}: {} programs, {} loads and matmuls, {} rows of results: all equal\n", prefix, seeds,
             totals.programs, totals.instructions, totals.rows);
  CHECK(totals.programs > 0);
}

}  // namespace

TEST_CASE("weight-stationary 4x4 and 8x8, every dtype") {
  compare_all("ws_4x4", 120);
  compare_all("ws_8x8", 80);
}
TEST_CASE("weight-stationary 16x16") { compare_all("ws_16x16", 30); }
TEST_CASE("weight-stationary arrays of narrow cells, not square") {
  compare_all("ws_5x3_bf16", 80);
  compare_all("ws_3x7_int8", 80);
}
TEST_CASE("a weight-stationary array of one cell") { compare_all("ws_1x1", 40); }
TEST_CASE("output-stationary") {
  compare_all("os_4x4", 60);
  compare_all("os_8x8", 40);
  compare_all("os_16x16", 10);
  compare_all("os_5x3_bf16", 40);
  compare_all("os_3x7_int8", 40);
}
