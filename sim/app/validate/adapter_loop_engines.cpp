// SPDX-License-Identifier: Apache-2.0
// Rows of rtl_suite.csv on engines that walk tiles in hardware: gemmini16/{WS,OS}/compute, mvin, mvout, full_ws,
// traffic; redmule4x12. Every row runs a program: the array alone on operands in the scratchpad (kernel gemm_array,
// its entry `main`), transfers alone, or a whole product (kernel gemm_loop).
#include <algorithm>
#include <array>
#include <cstdio>

#include "kernels/harness/run_case.hpp"
#include "sdk/sdk.hpp"
#include "sim/app/validate/kernel_run.hpp"
#include "sim/app/validate/suite_row.hpp"
#include "sim/top/simulator_api.h"

namespace heddle::validate {
namespace {

using kernels::Shape;

struct Sizes {
  std::int64_t m, n, k;
};

double cycles_of(const sdk::Counters& before, const sdk::Counters& after) {
  return static_cast<double>((after - before)["cycles"]);
}

// What the row says, without the simulated value.
Measurement expected_cycles(const SuiteRow& row, bool aligned = true) {
  Measurement m{"cycles", "cycles", row.expected().at(0), 0};
  m.tolerance = row.tolerance(aligned);
  return m;
}

std::vector<Measurement> with(Measurement m, double simulated) {
  m.simulated = simulated;
  return {m};
}

// The array alone.
double run_resident(const std::string& chip, const std::vector<std::string>& overrides, const Sizes& s, DType dtype) {
  sdk::Device device(hdl_simulator_api(), {chip, overrides, HDL_MODE_TIMING, 1});
  const kernels::KernelDef& kernel = kernels::find_kernel("gemm_array");
  const Shape shape{{"m", s.m}, {"k", s.k}, {"n", s.n}};
  const sdk::LoadedImage image = device.load(kernel.build(device.target(), shape, dtype));
  const sdk::Counters before = device.counters();
  device.run(image, "main", {0, 0, 0});  // of the operands' addresses `main` uses none
  return cycles_of(before, device.counters());
}

Case compute_case(const Row& row, const ChipChoice& choice, std::string_view chip, std::vector<std::string> overrides,
                  const Sizes& s, const Sizes& unit, DType dtype) {
  const SuiteRow suite(row);
  suite.require_params(0, {"M", "N", "K"});
  Case c = suite.blank_case(choice, chip, std::move(overrides));
  const bool aligned = s.m % unit.m == 0 && s.n % unit.n == 0 && s.k % unit.k == 0;
  c.run = [=, expected = expected_cycles(suite, aligned), on = c.chip, set = c.overrides] {
    return with(expected, run_resident(on, set, s, dtype));
  };
  return c;
}

Sizes sizes_of(const SuiteRow& row) { return {row.size("M"), row.size("N"), row.size("K")}; }

constexpr std::string_view gemmini = "gemmini-16x16";

Case gemmini_compute(const Row& row, const ChipChoice& choice) {
  const SuiteRow suite(row);
  const bool output_stationary = suite.test().find("/OS/") != std::string::npos;
  std::vector<std::string> overrides;
  if (output_stationary) overrides.push_back("core.mxu.dataflow=output_stationary");
  return compute_case(row, choice, gemmini, std::move(overrides), sizes_of(suite), {16, 16, 16}, DType::int8);
}

// X is M x N, W is N x K: the sum runs over N.
Case redmule_compute(const Row& row, const ChipChoice& choice) {
  const SuiteRow suite(row);
  const Sizes named = sizes_of(suite);
  return compute_case(row, choice, "redmule-4x12", {}, {named.m, named.k, named.n}, {12, 16, 1}, DType::fp16);
}

// The memory of these rows answers after `lat` cycles, in order, a beat a cycle.
std::vector<std::string> latency_override(const SuiteRow& row) {
  return {"memory.latency=" + std::to_string(row.size("lat", 0) * 500) + "ps"};  // each way, in cycles of 1 ns
}

// Transfers alone, commands of 16 rows of at most `wide` bytes: matrices in, or one out.
class Transfers {
 public:
  Transfers(sdk::KernelBuilder& k, std::int64_t wide) : k_(k), wide_(wide) {}
  void move(std::int64_t rows, std::int64_t cols, std::uint64_t far, std::int64_t near, bool out) {
    const int engine = out ? k_.target().dma_engines - 1 : 0;
    for (std::int64_t i = 0; i < rows; i += 16)
      for (std::int64_t j = 0; j < cols; j += wide_) {
        const std::int64_t high = std::min<std::int64_t>(16, rows - i), w = std::min(wide_, cols - j);
        const sdk::V there = view(isa::Space::hbm, high, w, cols, static_cast<std::int64_t>(far) + i * cols + j);
        const sdk::V here = view(isa::Space::spm, high, w, cols, near + i * cols + j);
        k_.emit().dma_copy(sdk::on(engine), out ? there : here, out ? here : there);
      }
  }

 private:
  sdk::V view(isa::Space space, std::int64_t rows, std::int64_t cols, std::int64_t pitch, std::int64_t base) {
    isa::ViewTemplate v;
    v.space = space;
    v.dtype = DType::int8;
    v.rank = 2;
    v.size = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols), 1, 1};
    v.stride = {pitch, 1, 0, 0};
    return k_.emit().view(k_.emit().view_template(v), sdk::Scalar(base));
  }
  sdk::KernelBuilder& k_;
  std::int64_t wide_;
};

Case gemmini_move(const Row& row, const ChipChoice& choice) {
  const SuiteRow suite(row);
  suite.require_params(0, {"M", "N", "K", "lat", "beats"});
  const bool out = suite.test() == "gemmini16/mvout";
  const Sizes s = sizes_of(suite);
  Case c = suite.blank_case(choice, gemmini, latency_override(suite));
  c.run = [=, expected = expected_cycles(suite), chip = c.chip, overrides = c.overrides] {
    sdk::Device device(hdl_simulator_api(), {chip, overrides, HDL_MODE_TIMING, 1});
    const sdk::Buffer memory = device.allocate(static_cast<std::uint64_t>(s.m * s.k + s.k * s.n + s.m * s.n), 4096);
    sdk::KernelBuilder k(device.target(), "transfers");
    if (out) {
      Transfers(k, 16).move(s.m, s.n, memory.address(), 0, true);  // sums leave by blocks of 16 columns
    } else {
      Transfers(k, 64).move(s.m, s.k, memory.address(), 0, false);
      Transfers(k, 64).move(s.k, s.n, memory.address() + static_cast<std::uint64_t>(s.m * s.k), s.m * s.k, false);
    }
    const sdk::LoadedImage image = device.load(k.finish());
    const sdk::Counters before = device.counters();
    device.run(image, "main", {});
    return with(expected, cycles_of(before, device.counters()));
  };
  return c;
}

// tile=IxJxK in blocks of 16.
Shape loop_shape(const SuiteRow& row) {
  const Sizes s = sizes_of(row);
  Shape shape{{"m", s.m}, {"n", s.n}, {"k", s.k}};
  if (!row.has("tile")) {  // as the loop unit's own driver chose it
    shape["driver"] = 1;
    return shape;
  }
  std::array<int, 3> t{};
  char rest = 0;
  if (std::sscanf(row.value("tile").c_str(), "%dx%dx%d%c", &t[0], &t[1], &t[2], &rest) != 3 || t[0] < 1 || t[1] < 1 ||
      t[2] < 1)
    fail_at(row.row().place("params"), ErrorKind::bad_input, "HDL-VAL-09",
            "tile={}; expected three block counts, such as 5x6x8", row.value("tile"));
  shape["tm"] = 16 * t[0];
  shape["tn"] = 16 * t[1];
  shape["tk"] = 16 * t[2];
  return shape;
}

Case gemmini_full(const Row& row, const ChipChoice& choice) {
  const SuiteRow suite(row);
  const bool traffic = suite.test() == "gemmini16/traffic";
  suite.require_params(0, {"M", "N", "K", "lat", "tile"});
  const kernels::KernelDef& kernel = kernels::find_kernel("gemm_loop");
  const Shape shape = shape_of(kernel, loop_shape(suite));
  Case c = suite.blank_case(choice, gemmini, latency_override(suite));
  std::vector<Measurement> expected;
  if (traffic) {
    for (const std::size_t i : {0u, 1u}) {
      expected.push_back({i == 0 ? "read beats" : "written beats", "beats", suite.expected().at(i), 0});
      expected.back().tolerance = suite.tolerance();
    }
  } else {
    expected.push_back(expected_cycles(suite));
  }
  c.run = [=, &kernel, chip = c.chip, overrides = c.overrides] {
    kernels::CaseResult r = run_kernel(chip, overrides, kernel, shape, DType::int8);
    constexpr double beat = 16;  // bytes
    std::vector<Measurement> out = expected;
    out[0].simulated =
        traffic ? static_cast<double>(r.counters["hbm.bytes_read"]) / beat : static_cast<double>(r.cycles);
    if (traffic) out[1].simulated = static_cast<double>(r.counters["hbm.bytes_written"]) / beat;
    return out;
  };
  return c;
}

Fit is_one_of(const Row& row, std::initializer_list<std::string_view> tests) {
  for (const std::string_view t : tests)
    if (suite_fit(row, t) != Fit::none) return Fit::exact;
  return Fit::none;
}

const Adapter compute_rows(
    "gemmini compute", "gemmini16/WS/compute and gemmini16/OS/compute",
    [](const Row& row) {
      return is_one_of(row, {"gemmini16/WS/compute", "gemmini16/OS/compute"});
    },
    gemmini_compute);
const Adapter move_rows(
    "gemmini transfers", "gemmini16/mvin and gemmini16/mvout",
    [](const Row& row) {
      return is_one_of(row, {"gemmini16/mvin", "gemmini16/mvout"});
    },
    gemmini_move);
const Adapter full_rows(
    "gemmini products", "gemmini16/full_ws and gemmini16/traffic",
    [](const Row& row) {
      return is_one_of(row, {"gemmini16/full_ws", "gemmini16/traffic"});
    },
    gemmini_full);
// Tables of whole products on such a chip: kernel,m,k,n,dtype, then either tile_m,tile_k,tile_n (the tiles of that
// run), or mapping,accumulator_kib,scratchpad_kib (another tiler's choice, which is not ours, and the memories of that
// run).
bool given_tiles(const Table& table) { return table.has("tile_m") && table.has("tile_k") && table.has("tile_n"); }
bool given_memories(const Table& table) { return table.has("accumulator_kib") && table.has("scratchpad_kib"); }

Case product_case(const Row& row, const ChipChoice& choice) {
  const Table& table = row.table();
  const bool tiles = given_tiles(table);
  const kernels::KernelDef& kernel = kernels::find_kernel("gemm_loop");
  Shape shape{{"m", row.integer("m", 1)}, {"k", row.integer("k", 1)}, {"n", row.integer("n", 1)}};
  std::vector<std::string> own;
  if (tiles) {
    shape["tm"] = row.integer("tile_m", 1);
    shape["tk"] = row.integer("tile_k", 1);
    shape["tn"] = row.integer("tile_n", 1);
  } else {
    own = {"core.accumulator.size=" + row.text("accumulator_kib") + "KiB",
           "core.scratchpad.size=" + row.text("scratchpad_kib") + "KiB"};
  }
  if (row.text("kernel") != "gemm" || row.text("dtype") != "int8")
    fail_at(row.place("kernel"), ErrorKind::bad_input, "HDL-VAL-08", "{} in {}; expected gemm in int8",
            row.text("kernel"), row.text("dtype"));
  shape = shape_of(kernel, shape);
  Measurement expected{"time", "cycles", row.positive("measured_cycles"), 0};
  if (table.has("measured_cycles_default_tiler")) {  // the better of two tilers' runs
    const double other = row.positive("measured_cycles_default_tiler");
    expected.also_measured = {std::max(expected.measured, other)};
    expected.measured = std::min(expected.measured, other);
  }
  Case c;
  c.group = "gemm";
  for (const char* name : {"m", "k", "n"})
    c.label += fmt::format("{}{}={}", c.label.empty() ? "" : " ", name, row.text(name));
  for (const std::string& o : own) c.label += " " + o.substr(o.rfind('=') + 1);
  c.chip = choice.chip_for(table);
  c.overrides = choice.overrides(own);
  c.place = row.place();
  c.run = [=, &kernel, chip = c.chip, overrides = c.overrides] {
    return with(expected, static_cast<double>(run_kernel(chip, overrides, kernel, shape, DType::int8).cycles));
  };
  return c;
}

const Adapter product_rows(
    "products of loop engines", "gemm with tile_m, tile_k, tile_n, or with accumulator_kib, scratchpad_kib",
    [](const Row& row) {
      const Table& t = row.table();
      return t.has("kernel") && t.has("measured_cycles") && (given_tiles(t) || given_memories(t)) ? Fit::exact
                                                                                                  : Fit::none;
    },
    product_case);

const Adapter redmule_rows(
    "redmule", "redmule4x12", [](const Row& row) { return suite_fit(row, "redmule4x12"); }, redmule_compute);

}  // namespace
}  // namespace heddle::validate
