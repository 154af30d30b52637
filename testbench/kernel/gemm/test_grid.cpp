// SPDX-License-Identifier: Apache-2.0
// The product on a grid of cores that pass their operands on: right values for sizes that fill the grid, leave cores
// without work, end in the middle of a panel or of a block; both launch orders of the shards; and each operand read
// once.
#include "isa/base/error.hpp"
#include "kernels/gemm/grid.hpp"
#include "kernels/harness/run_case.hpp"
#include "sim/top/simulator_api.h"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::kernels;

namespace {

sdk::OpenOptions grid_chip(hdl_mode mode, const std::string& cores = "9") {
  sdk::OpenOptions o;
  o.chip = std::string(HEDDLE_SOURCE_DIR) + "/configs/chip/edge.yaml";
  // Small memories and arrays, so that small products have several panels and blocks.
  o.overrides = {"cores=" + cores,      "core.mxu.rows=16",           "core.mxu.cols=16",
                 "noc.topology=mesh2d", "core.accumulator.size=4KiB", "core.scratchpad.size=32KiB"};
  o.mode = mode;
  return o;
}

Shape gemm_shape(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t bt = 0, std::int64_t bias = 0,
                 std::int64_t batch = 1) {
  return {{"m", m}, {"k", k}, {"n", n}, {"batch", batch}, {"bias", bias}, {"bt", bt}};
}

const std::vector<Shape> shapes{gemm_shape(24, 1, 24),           gemm_shape(24, 16, 24),  gemm_shape(25, 17, 31),
                                gemm_shape(96, 300, 100, 1),     gemm_shape(130, 97, 65), gemm_shape(64, 512, 48, 0, 1),
                                gemm_shape(33, 145, 40, 1, 1, 2)};

}  // namespace

TEST_CASE("GEMM on a grid of nine cores, values and time") {
  for (const hdl_mode mode : {HDL_MODE_VALUES, HDL_MODE_FULL}) {
    sdk::Device device(hdl_simulator_api(), grid_chip(mode));
    for (const DType dtype : {DType::bf16, DType::fp32, DType::int8})
      for (const Shape& s : shapes) {
        const bool integer = dtype == DType::int8;
        const GridPlan plan = plan_grid(device.target(), s.at("m"), s.at("k"), s.at("n"), dtype, {16});
        REQUIRE(plan.fits);
        CHECK(plan.side == 3);
        CHECK(plan.m * plan.n * 4 <= device.target().acc_bytes);
        const CaseResult r = run_case(device, mode, find_kernel("gemm"), s, dtype);
        INFO(r.shape << " " << name(dtype) << (integer ? " exact" : ""));
        CHECK(r.correct());
      }
  }
}

TEST_CASE("Shards in the scratchpads: values as from HBM, and main moves neither A nor C") {
  sdk::Device device(hdl_simulator_api(), grid_chip(HDL_MODE_FULL));
  for (const std::int64_t a : {0, 1})
    for (const std::int64_t c : {0, 1})
      for (const auto& [m, k, n] : {std::tuple{24, 16, 24}, {25, 100, 31}, {50, 97, 48}}) {
        const Shape s{{"m", m}, {"k", k}, {"n", n}, {"a_in_spm", a}, {"c_in_spm", c}};
        const CaseResult r = run_case(device, HDL_MODE_FULL, find_kernel("gemm_sharded"), s, DType::bf16);
        INFO(r.shape);
        CHECK(r.correct());
        // Each operand once, whichever cores use it.
        CHECK(r.counters["hbm.bytes_read"] >= static_cast<std::uint64_t>(2 * (k * n + (a != 0 ? 0 : m * k))));
        CHECK(r.counters["hbm.bytes_read"] < static_cast<std::uint64_t>(2 * (k * n + (a != 0 ? 0 : m * k)) * 3));
        CHECK((r.counters["hbm.bytes_written"] == 0) == (c != 0));
      }
}

TEST_CASE("A chip without a square grid, or without room, is refused by gemm_sharded and served by gemm") {
  sdk::Device device(hdl_simulator_api(), grid_chip(HDL_MODE_VALUES, "6"));
  const Shape s{{"m", 24}, {"k", 16}, {"n", 24}, {"a_in_spm", 1}, {"c_in_spm", 1}};
  CHECK_THROWS_WITH(run_case(device, HDL_MODE_VALUES, find_kernel("gemm_sharded"), s, DType::bf16),
                    contains("HDL-KRN-05") && contains("square number of cores"));
  CHECK(run_case(device, HDL_MODE_VALUES, find_kernel("gemm"), gemm_shape(24, 16, 24), DType::bf16).correct());
  sdk::Device nine(hdl_simulator_api(), grid_chip(HDL_MODE_VALUES));
  const Shape large{{"m", 4096}, {"k", 4096}, {"n", 64}, {"a_in_spm", 1}, {"c_in_spm", 0}};
  CHECK_THROWS_WITH(run_case(nine, HDL_MODE_VALUES, find_kernel("gemm_sharded"), large, DType::bf16),
                    contains("HDL-KRN-05"));
}
