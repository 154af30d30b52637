// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/run_case.hpp"

#include <algorithm>
#include <chrono>

#include "isa/base/error.hpp"
#include "isa/image/bytes.hpp"

namespace heddle::kernels {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void require_dtype(const KernelDef& kernel, DType dtype, const sdk::Target& target) {
  if (std::find(kernel.dtypes.begin(), kernel.dtypes.end(), dtype) == kernel.dtypes.end()) {
    std::string known;
    for (DType t : kernel.dtypes) known += (known.empty() ? "" : ", ") + std::string(name(t));
    fail(ErrorKind::bad_input, "HDL-KRN-03", "{} does not come in {}; it comes in {}", kernel.name, name(dtype), known);
  }
  if (kernel.uses_mxu && !target.supports(dtype))
    fail(ErrorKind::unsupported, "HDL-KRN-03", "chip {} has no {} rate for its MXU", target.name, name(dtype));
}

bool has_values(Role role) { return role == Role::input || role == Role::inout; }

// Uploads what the run reads; returns one buffer a tensor.
std::vector<sdk::Buffer> upload(sdk::Device& device, hdl_mode mode, const std::vector<TensorSpec>& specs,
                                const std::vector<HostTensor>& tensors) {
  std::vector<sdk::Buffer> buffers;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    buffers.push_back(device.allocate(static_cast<std::uint64_t>(std::max<std::int64_t>(specs[i].bytes(), 1)), 4096));
    const bool needed = mode != HDL_MODE_TIMING || specs[i].dtype == DType::int32;
    if (has_values(specs[i].role) && needed) buffers.back().write(tensors[i].bytes());
  }
  return buffers;
}

}  // namespace

Roofline roofline(const Work& work, const sdk::Target& target) {
  Roofline r;
  const double rate = target.macs_per_cycle[static_cast<std::size_t>(work.mac_dtype)] * target.cores *
                      static_cast<double>(target.clock_hz);
  if (work.macs > 0 && rate > 0) r.compute_seconds = work.macs / rate;
  if (target.hbm_bytes_per_second > 0)
    r.memory_seconds = work.hbm_bytes / static_cast<double>(target.hbm_bytes_per_second);
  return r;
}

bool CaseResult::correct() const {
  return std::all_of(errors.begin(), errors.end(), [](const TensorError& e) { return e.within; });
}

bool PlacedCase::has(std::string_view entry) const {
  return std::any_of(program.entries.begin(), program.entries.end(), [&](const auto& e) { return e.name == entry; });
}

PlacedCase place_case(sdk::Device& device, hdl_mode mode, const KernelDef& kernel, const Shape& shape, DType dtype,
                      std::uint64_t seed) {
  require_dtype(kernel, dtype, device.target());
  PlacedCase c;
  c.specs = kernel.tensors(shape, dtype);
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    // Without values only index lists matter; a large weight need not exist on the host at all.
    TensorSpec spec = c.specs[i];
    const bool needed = spec.role != Role::workspace && (mode != HDL_MODE_TIMING || spec.dtype == DType::int32);
    if (!needed) spec.dims = {0};
    c.tensors.emplace_back(std::move(spec));
    if (needed && has_values(c.specs[i].role)) c.tensors.back().randomize(seed + i);
  }
  c.program = kernel.build(device.target(), shape, dtype);
  c.image = device.load(c.program);
  c.buffers = upload(device, mode, c.specs, c.tensors);
  for (const sdk::Buffer& b : c.buffers) c.arguments.push_back(b.address());
  if (kernel.extra_arguments)
    for (const std::uint64_t a : kernel.extra_arguments(shape)) c.arguments.push_back(a);
  return c;
}

CaseResult run_case(sdk::Device& device, hdl_mode mode, const KernelDef& kernel, const Shape& shape, DType dtype,
                    std::uint64_t seed, bool check) {
  const sdk::Target& target = device.target();
  PlacedCase placed = place_case(device, mode, kernel, shape, dtype, seed);

  CaseResult result;
  result.kernel = kernel.name;
  result.shape = to_string(kernel, shape);
  result.chip = target.name;
  result.dtype = dtype;
  result.mode = mode;
  result.work = kernel.work(shape, dtype);
  result.roof = roofline(result.work, target);

  if (placed.has("prepare")) device.run(placed.image, "prepare", placed.arguments);
  const sdk::Counters before = device.counters();
  const auto start = Clock::now();
  device.run(placed.image, "main", placed.arguments);
  result.host_seconds = seconds_since(start);
  result.counters = device.counters() - before;
  result.cycles = result.counters["cycles"];
  result.seconds = static_cast<double>(result.counters["time_fs"]) * 1e-15;
  if (mode == HDL_MODE_TIMING || !check) return result;
  if (placed.has("collect")) device.run(placed.image, "collect", placed.arguments);

  std::vector<HostTensor> want = placed.tensors;
  const auto reference_start = Clock::now();
  kernel.reference(shape, want);
  result.host_reference_seconds = seconds_since(reference_start);
  for (std::size_t i = 0; i < placed.specs.size(); ++i) {
    HostTensor& tensor = placed.tensors[i];
    if (placed.specs[i].role == Role::input || placed.specs[i].role == Role::workspace) continue;
    placed.buffers[i].read(std::as_writable_bytes(std::span(tensor.bytes())));
    const auto out = std::span(tensor.bytes());
    result.values_hash = isa::fnv(result.values_hash.value_or(isa::fnv_start), out.data(), out.size());
    const Difference d = compare(tensor, want[i]);
    result.errors.push_back({placed.specs[i].name, d, d.max_rel <= kernel.tolerance(dtype)});
    result.outputs.push_back(std::move(tensor));
  }
  return result;
}

}  // namespace heddle::kernels
