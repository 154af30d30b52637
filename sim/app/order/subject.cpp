// SPDX-License-Identifier: Apache-2.0
#include "sim/app/order/subject.hpp"

#include "isa/base/error.hpp"
#include "kernels/harness/run_case.hpp"
#include "kernels/registry/kernel.hpp"
#include "sdk/runtime/device.hpp"
#include "sim/top/simulator_api.h"

namespace heddle::app {

Subject kernel_subject(const KernelBench& bench) {
  const kernels::KernelDef& kernel = kernels::find_kernel(bench.kernel);
  const kernels::Shape shape = kernels::parse_shape(kernel, bench.shape);
  const DType dtype = kernel_dtype(kernel, bench.dtype);
  // Placed on a device without a clock, for what it knows of the chip.
  sdk::Device device(hdl_simulator_api(), {bench.common.chip, bench.common.set, HDL_MODE_VALUES, 1});
  kernels::PlacedCase placed = kernels::place_case(device, HDL_MODE_VALUES, kernel, shape, dtype, bench.seed);

  Subject s;
  s.title = fmt::format("{} {} {}", kernel.name, name(dtype), kernels::to_string(kernel, shape));
  for (const char* entry : {"prepare", "main", "collect"})
    if (placed.has(entry)) s.entries.push_back(entry);
  s.image = std::move(placed.program);
  s.timed = "main";
  using kernels::Role;
  for (std::size_t i = 0; i < placed.specs.size(); ++i) {
    const kernels::TensorSpec& spec = placed.specs[i];
    Operand o{.name = spec.name, .buffer = true, .dtype = spec.dtype};
    o.upload = spec.role == Role::input || spec.role == Role::inout;
    o.compared = spec.role == Role::output || spec.role == Role::inout;
    o.bytes = std::move(placed.tensors[i].bytes());
    o.bytes.resize(static_cast<std::size_t>(spec.bytes()));
    s.operands.push_back(std::move(o));
  }
  for (std::size_t i = placed.specs.size(); i < placed.arguments.size(); ++i)
    s.operands.push_back({.name = "size", .number = placed.arguments[i]});
  return s;
}

Subject program_subject(const ProgramRun& run) {
  Subject s;
  s.image = load_program(run.program);
  const isa::Entry& entry = find_entry(s.image, run.entry);
  s.title = s.image.name;
  s.entries = {entry.name};
  s.timed = entry.name;
  s.on_chip = true;
  for (const std::string& text : run.args) {
    Argument a = parse_argument(text);
    Operand o{.name = fmt::format("argument {}", s.operands.size()), .buffer = a.is_buffer, .number = a.number};
    o.upload = o.compared = a.is_buffer;
    o.bytes = std::move(a.bytes);
    s.operands.push_back(std::move(o));
  }
  require_arguments(entry, s.operands.size(), run.program);
  return s;
}

}  // namespace heddle::app
