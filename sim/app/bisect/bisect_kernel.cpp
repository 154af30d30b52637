// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/bisect_kernel.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/app/bisect/missing.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

// All launches of a case, with `watch` looking on; then `done` while the device is there.
template <class Done>
void run_watched(const hdl_api* api, const sdk::OpenOptions& options, const kernels::KernelDef& kernel,
                 const kernels::Shape& shape, DType dtype, std::uint64_t seed, exec::IRunWatch& watch, Done&& done) {
  const exec::WatchInstalled installed(&watch);
  sdk::Device device(api, options);
  const kernels::PlacedCase placed = kernels::place_case(device, options.mode, kernel, shape, dtype, seed);
  std::vector<std::string> launches;
  for (const char* entry : {"prepare", "main", "collect"}) {
    if (!placed.has(entry)) continue;
    device.run(placed.image, entry, placed.arguments);
    launches.emplace_back(entry);
  }
  done(device, placed, launches);
}

std::vector<PlacedTensor> tensors_of(const kernels::PlacedCase& placed) {
  std::vector<PlacedTensor> out;
  for (std::size_t i = 0; i < placed.specs.size(); ++i)
    out.push_back({placed.specs[i].name, placed.specs[i].dtype, placed.specs[i].dims, placed.buffers[i].address()});
  return out;
}

bool is_result(const kernels::TensorSpec& spec) {
  return spec.role == kernels::Role::output || spec.role == kernels::Role::inout;
}

}  // namespace

KernelBisection bisect_kernel(const hdl_api* api, const sdk::OpenOptions& options, const kernels::KernelDef& kernel,
                              const kernels::Shape& shape, DType dtype, std::uint64_t seed,
                              std::optional<double> tolerance) {
  KernelBisection result;
  result.kernel = kernel.name;
  result.shape = to_string(kernel, shape);
  result.dtype = dtype;
  result.mode = options.mode;
  result.tolerance = tolerance.value_or(kernel.tolerance(dtype));
  std::vector<StepId> slice;
  RunLog log;
  run_watched(api, options, kernel, shape, dtype, seed, log,
              [&](sdk::Device& device, const kernels::PlacedCase& placed, const std::vector<std::string>& launches) {
                result.chip = device.target().name;
                result.instructions = log.end() - 1;
                std::vector<kernels::HostTensor> want = placed.tensors;
                kernel.reference(shape, want);
                const std::vector<PlacedTensor> tensors = tensors_of(placed);
                std::vector<Expected> expected;
                for (std::size_t i = 0; i < tensors.size(); ++i) {
                  if (!is_result(placed.specs[i])) continue;
                  kernels::HostTensor got(placed.specs[i]);
                  placed.buffers[i].read(std::as_writable_bytes(std::span(got.bytes())));
                  const kernels::Difference difference = compare(got, want[i]);
                  result.errors.push_back({placed.specs[i].name, difference, difference.max_rel <= result.tolerance});
                  Expected e{tensors[i], {}, result.tolerance};
                  for (std::int64_t n = 0; n < tensors[i].elements(); ++n) e.want.push_back(want[i].get(n));
                  expected.push_back(std::move(e));
                }
                result.divergence = find_divergence(log, expected);
                if (!result.divergence || !result.divergence->by) return;
                const StepId by = result.divergence->by->id;
                result.launch = launches[log.launch_of(by)];
                slice = log.slice({by});
              });
  if (slice.empty()) return result;
  Replay replay(slice);
  sdk::OpenOptions again = options;
  again.host_threads = 1;
  run_watched(api, again, kernel, shape, dtype, seed, replay,
              [&](sdk::Device&, const kernels::PlacedCase& placed, const std::vector<std::string>&) {
                replay.finish();
                log.use_image(&placed.program);
                const std::vector<PlacedTensor> tensors = tensors_of(placed);
                explain(*result.divergence, log, replay, tensors);
                if (result.divergence->cause == Cause::program)
                  result.divergence->not_read =
                      missing_inputs(kernel, shape, dtype, placed.tensors, tensors, *result.divergence, replay);
              });
  return result;
}

std::string KernelBisection::text() const {
  std::string out = fmt::format("{} {} {} on {}, {} mode: {} engine instructions followed\n", kernel, name(dtype),
                                shape, chip, name(mode), grouped(instructions));
  for (const kernels::TensorError& e : errors)
    out += fmt::format("  values                {}: max |error| {:.2e}, relative {:.2e} against fp64{}\n", e.tensor,
                       e.difference.max_abs, e.difference.max_rel, e.within ? "" : "   WRONG");
  if (!divergence)
    return out + fmt::format("  no divergence: every element is within {:.2e} of the reference\n", tolerance);
  if (!launch.empty() && launch != "main") out += fmt::format("  in the launch of      {}\n", launch);
  return out + to_text(*divergence);
}

nlohmann::json KernelBisection::json() const {
  nlohmann::json json{
      {"schema", result_schema},      {"command", "bench"},     {"kernel", kernel},     {"chip", chip},
      {"dtype", name(dtype)},         {"shape", shape},         {"mode", name(mode)},   {"tolerance", tolerance},
      {"instructions", instructions}, {"correct", !divergence}, {"divergence", nullptr}};
  for (const kernels::TensorError& e : errors)
    json["tensors"].push_back({{"tensor", e.tensor},
                               {"max_abs_error", json_number(e.difference.max_abs)},
                               {"max_rel_error", json_number(e.difference.max_rel)}});
  if (divergence) {
    json["divergence"] = to_json(*divergence);
    json["divergence"]["launch"] = launch.empty() ? nlohmann::json() : nlohmann::json(launch);
  }
  return json;
}

}  // namespace heddle::app
