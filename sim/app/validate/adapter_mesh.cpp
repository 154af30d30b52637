// SPDX-License-Identifier: Apache-2.0
// Bare systolic arrays in others' RTL: the rows mesh/* of test,params,expected,unit,tolerance, and tables
// name,m,n,k,rtl_cycles of an output-stationary array.
//
// Each row is a program on a chip that has little but its array; the array's own time is measured (array_run.hpp). A
// product before keeps the array busy until the sequencer waits.
#include <algorithm>

#include "sim/app/validate/array_run.hpp"
#include "sim/app/validate/suite_row.hpp"
#include "sim/config/load_chip.hpp"

namespace heddle::validate {
namespace {

constexpr std::int64_t most_side = 1024;         // of an array, as core.mxu.rows and cols allow
constexpr std::int64_t most_streamed = 1 << 20;  // of a row's T, m, n and k

std::vector<std::string> array_overrides(std::int64_t rows, std::int64_t cols, std::string_view dataflow) {
  return {fmt::format("core.mxu.rows={}", rows), fmt::format("core.mxu.cols={}", cols),
          fmt::format("core.mxu.dataflow={}", dataflow)};
}

// Views of a [k, n] tile in v1, [m, k] operands in v2, [m, n] results in v3; a first product of 64 rows; `rest`; then
// wait for the array.
std::string program(std::int64_t m, std::int64_t k, std::int64_t n, const std::string& rest) {
  return fmt::format(
      ".view w, spm, int8, [{1}, {2}]\n.view a, spm, int8, [{0}, {1}]\n.view c, acc, int32, [{0}, {2}]\n"
      ".view first, spm, int8, [64, {1}]\n.view result, acc, int32, [64, {2}]\n"
      "view v1, w\nview v2, a\nview v3, c\nview v4, first\nview v5, result\n"
      "mxu.load v1\nmxu.matmul v5, v4\n{3}mxu.sync post s0\nsem.wait s0, 1\nhalt\n",
      m, k, n, rest);
}

// T rows stream through weights that rest; their load counts where `with_load` says so.
double weight_stationary(const Case& c, std::int64_t rows, std::int64_t cols, std::int64_t t, bool with_load) {
  return own_cycles(c, program(t, rows, cols, "mxu.load v1\nmxu.matmul v3, v2\n"),
                    program(t, rows, cols, with_load ? "" : "mxu.load v1\n"));
}

// C[m, n] = A[m, k] B[k, n], results resting: one tile of up to `cols` columns after the other.
double output_stationary(const Case& c, std::int64_t cols, std::int64_t m, std::int64_t k, std::int64_t n) {
  const std::int64_t tiles = n / cols, last = n % cols;
  std::string products;
  if (tiles > 0)
    products =
        fmt::format("li x6, {}\nloop:\nmxu.load v1\nmxu.matmul v3, v2\naddi x6, x6, -1\nbne x6, x0, loop\n", tiles);
  if (last > 0)
    products += fmt::format(
        ".view wl, spm, int8, [{1}, {2}]\n.view cl, acc, int32, [{0}, {2}]\nview v6, wl\nview v7, cl\nmxu.load v6\n"
        "mxu.matmul v7, v2\n",
        m, k, last);
  return own_cycles(c, program(m, k, std::min(n, cols), products), program(m, k, std::min(n, cols), ""));
}

Case mesh_case(const Row& row, const ChipChoice& choice) {
  const SuiteRow s(row);
  s.require_params(1, {"R", "C", "T"});
  const std::int64_t rows = s.size("R", 1, most_side), cols = s.size("C", 1, most_side);
  const std::int64_t t = s.size("T", 1, most_streamed);
  const std::string& kind = s.words().front();
  const bool results_rest = kind == "OS", with_load = kind == "WS_load_stream";
  if (!results_rest && !with_load && kind != "WS_stream")
    fail_at(row.place("params"), ErrorKind::bad_input, "HDL-VAL-09",
            "'{}' is no way to use an array; expected WS_stream, WS_load_stream or OS", kind);
  Case c = s.blank_case(choice, "bare-array",
                        array_overrides(rows, cols, results_rest ? "output_stationary" : "weight_stationary"));
  c.run = [=, self = c, expected = s.expected().front(), tolerance = s.tolerance()] {
    Measurement m{"time", "cycles", expected,
                  results_rest ? output_stationary(self, cols, rows, t, cols)
                               : weight_stationary(self, rows, cols, t, with_load)};
    m.tolerance = tolerance;
    return std::vector<Measurement>{m};
  };
  return c;
}

Case named_case(const Row& row, const ChipChoice& choice) {
  row.table().require_columns({"name", "m", "n", "k", "rtl_cycles"}, {});
  const std::int64_t m = row.integer("m", 1, most_streamed), n = row.integer("n", 1, most_streamed),
                     k = row.integer("k", 1, most_streamed);
  Case c;
  c.label = fmt::format("{} m={} n={} k={}", row.text("name"), m, n, k);
  c.group = "output-stationary";
  c.chip = choice.chip_for(row.table());
  c.overrides = choice.overrides();
  c.place = row.place();
  c.run = [=, self = c, measured = row.positive("rtl_cycles")] {
    const std::int64_t cols = config::load_chip(self.chip, self.overrides).core.mxu.cols;
    Measurement time{"time", "cycles", measured, output_stationary(self, cols, m, k, n)};
    time.tolerance = Tolerance{ErrorScale::absolute, 0};
    return std::vector<Measurement>{time};
  };
  return c;
}

const Adapter suite(
    "mesh", "test 'mesh/...' of a suite", [](const Row& row) { return suite_fit(row, "mesh/"); }, mesh_case);
const Adapter named(
    "output-stationary array", "columns name,m,n,k,rtl_cycles",
    [](const Row& row) { return row.table().has("rtl_cycles") ? Fit::exact : Fit::none; }, named_case);

}  // namespace
}  // namespace heddle::validate
