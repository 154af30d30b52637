// SPDX-License-Identifier: Apache-2.0
// Tables whose name says on_chip: products timed without what moves operands, kernel,m,k,n,dtype,measured_ns. They run
// gemm_resident, whose operands lie in the scratchpad before the launch that is timed.

#include "sim/app/validate/adapter.hpp"
#include "sim/app/validate/kernel_run.hpp"

namespace heddle::validate {
namespace {

Case on_chip_case(const Row& row, const ChipChoice& choice) {
  row.table().require_columns({"kernel", "m", "k", "n", "dtype", "measured_ns"}, {});
  if (row.text("kernel") != "gemm")
    fail_at(row.place("kernel"), ErrorKind::bad_input, "HDL-VAL-41", "on-chip rows are of gemm; got '{}'",
            row.text("kernel"));
  const kernels::KernelDef& kernel = kernels::find_kernel("gemm_resident");
  const kernels::Shape shape =
      shape_of(kernel, {{"m", row.integer("m")}, {"k", row.integer("k")}, {"n", row.integer("n")}});
  const DType dtype = dtype_of(row, kernel);
  const double measured = row.positive("measured_ns");
  Case c;
  c.label = fmt::format("m={} k={} n={} {}", row.text("m"), row.text("k"), row.text("n"), name(dtype));
  c.group = "gemm";
  c.chip = choice.chip_for(row.table());
  c.overrides = choice.overrides();
  c.place = row.place();
  c.run = [=, &kernel, chip = c.chip, overrides = c.overrides] {
    const kernels::CaseResult r = run_kernel(chip, overrides, kernel, shape, dtype);
    return std::vector<Measurement>{{"time", "ns", measured, r.seconds * 1e9}};
  };
  return c;
}

const Adapter on_chip(
    "on chip", "a table with 'on_chip' in its name: kernel,m,k,n,dtype,measured_ns of gemm",
    [](const Row& row) {
      return row.table().stem().find("on_chip") != std::string::npos && row.table().has("kernel") ? Fit::exact
                                                                                                  : Fit::none;
    },
    on_chip_case);

}  // namespace
}  // namespace heddle::validate
