// SPDX-License-Identifier: Apache-2.0
// GEMMs on a grid of cores, measured as a share of the peak: kernel,m,k,n,dtype,in0,in1,out,fidelity,
// device_utilization_pct. in0, in1 and out say where an operand lies: DRAM, or sharded over the cores' L1. The fidelity
// is the number of phases of the matrix engine; the share is of the peak in that many phases, over the cycles of the
// kernel on the device (trace and measured_ns are about the host's part and change nothing).
#include <algorithm>
#include <array>

#include "sim/app/validate/adapter.hpp"
#include "sim/app/validate/kernel_run.hpp"

namespace heddle::validate {
namespace {

template <class List>
std::size_t choice_of(const Row& row, std::string_view column, const List& known) {
  const auto at = std::find(known.begin(), known.end(), row.text(column));
  if (at == known.end())
    fail_at(row.place(column), ErrorKind::bad_input, "HDL-VAL-08", "'{}' in column {}; expected {}", row.text(column),
            column, fmt::join(known, ", "));
  return static_cast<std::size_t>(at - known.begin());
}

Case utilization_case(const Row& row, const ChipChoice& choice) {
  constexpr std::array<std::string_view, 4> fidelities{"LoFi", "HiFi2", "HiFi3", "HiFi4"};
  constexpr std::array<std::string_view, 2> places{"DRAM", "L1"};
  constexpr std::array<std::string_view, 1> only_dram{"DRAM"};
  constexpr std::array<std::string_view, 1> only_gemm{"gemm"};
  row.table().require_columns(
      {"kernel", "m", "k", "n", "dtype", "in0", "in1", "out", "fidelity", "device_utilization_pct"},
      {"trace", "measured_ns"});
  choice_of(row, "kernel", only_gemm);
  const std::int64_t phases = static_cast<std::int64_t>(choice_of(row, "fidelity", fidelities)) + 1;
  const bool a_in_l1 = choice_of(row, "in0", places) == 1, c_in_l1 = choice_of(row, "out", places) == 1;
  choice_of(row, "in1", only_dram);
  const kernels::KernelDef& kernel = kernels::find_kernel(a_in_l1 || c_in_l1 ? "gemm_sharded" : "gemm");
  const std::int64_t m = row.integer("m", 1), k = row.integer("k", 1), n = row.integer("n", 1);
  kernels::Shape sizes{{"m", m}, {"k", k}, {"n", n}};
  if (a_in_l1 || c_in_l1) sizes["a_in_spm"] = a_in_l1, sizes["c_in_spm"] = c_in_l1;
  const DType dtype = dtype_of(row, kernel);
  const double measured = row.positive("device_utilization_pct");

  Case c;
  c.group = "gemm";
  c.label = fmt::format("m={} k={} n={} {} {} {} {}", m, k, n, row.text("dtype"), row.text("fidelity"), row.text("in0"),
                        row.text("out"));
  c.chip = choice.chip_for(row.table());
  c.overrides = choice.overrides({fmt::format("core.mxu.phases={}", phases)});
  c.place = row.place();
  c.run = [=, &kernel, chip = c.chip, overrides = c.overrides, shape = shape_of(kernel, sizes)] {
    const kernels::CaseResult r = run_kernel(chip, overrides, kernel, shape, dtype);
    Measurement u{"utilization", "%", measured, 100 * r.roof.compute_seconds / r.seconds};
    u.scale = ErrorScale::points;
    return std::vector<Measurement>{u};
  };
  return c;
}

const Adapter utilization_rows(
    "utilization", "a column 'device_utilization_pct' of GEMMs",
    [](const Row& row) { return row.table().has("device_utilization_pct") ? Fit::exact : Fit::none; },
    utilization_case);

}  // namespace
}  // namespace heddle::validate
