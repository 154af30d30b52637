// SPDX-License-Identifier: Apache-2.0
// heddle bench KERNEL --shape m=..,k=..: one kernel on one chip: cycles, roofline, error against its reference. And
// heddle bench dram and noc: parts of a chip by themselves (bench_parts.hpp).
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "isa/base/error.hpp"
#include "kernels/harness/run_case.hpp"
#include "sim/app/bench_parts.hpp"
#include "sim/app/bisect/bisect_kernel.hpp"
#include "sim/app/bisect/bisect_targets.hpp"
#include "sim/app/command.hpp"
#include "sim/app/compare_targets.hpp"
#include "sim/app/hazards.hpp"
#include "sim/app/instruments.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"
#include "sim/app/run_model.hpp"
#include "sim/app/target.hpp"

namespace heddle::app {
namespace {

ExitCode list_kernels() {
  std::string out;
  for (const kernels::KernelDef* k : kernels::all_kernels()) {
    std::string shape, dtypes;
    for (const kernels::ShapeParam& p : k->params)
      shape += fmt::format("{}{}={}", shape.empty() ? "" : ",", p.name, p.standard);
    for (const DType t : k->dtypes) dtypes += fmt::format("{}{}", dtypes.empty() ? "" : ", ", name(t));
    out += fmt::format("{:<18}{}\n{:<18}--shape {}   --dtype {}\n", k->name, k->summary, "", shape, dtypes);
  }
  print_result(out);
  return success;
}

const kernels::TensorError* worst(const kernels::CaseResult& r) {
  const auto found = std::max_element(r.errors.begin(), r.errors.end(), [](const auto& a, const auto& b) {
    return a.difference.max_rel < b.difference.max_rel;
  });
  return found == r.errors.end() ? nullptr : &*found;
}

// How busy each engine was; of more than a few cores, the least and the most busy one.
std::string busy_text(const sdk::Counters& counters, double cycles, unsigned cores) {
  constexpr unsigned few = 4;
  std::map<std::string, std::pair<double, double>> range;
  std::string out;
  for (const auto& [name, counter] : counters.rows) {
    const std::size_t dot = name.find('.');
    if (!name.starts_with("core") || !name.ends_with(".busy")) continue;
    const std::string unit = name.substr(dot + 1, name.size() - dot - 1 - std::string_view(".busy").size());
    const double share = 100 * static_cast<double>(counter.value) / cycles;
    if (cores <= few)
      out += fmt::format("{}{}.{} {:.1f} %", out.empty() ? "" : "   ", name.substr(0, dot), unit, share);
    const auto at = range.try_emplace(unit, share, share).first;
    at->second = {std::min(at->second.first, share), std::max(at->second.second, share)};
  }
  if (cores <= few) return out;
  for (const auto& [unit, r] : range)
    out += fmt::format("{}{} {:.1f} to {:.1f} %", out.empty() ? "" : "   ", unit, r.first, r.second);
  return out;
}

std::string text_of(const kernels::CaseResult& r, const Report& report, unsigned cores) {
  std::string out = fmt::format("{} {} {} on {}", r.kernel, name(r.dtype), r.shape, r.chip);
  if (report.timed()) {
    out += fmt::format("   {} cycles   {}", grouped(r.cycles), time_text(r.seconds * 1e9));
    if (r.work.macs > 0) out += fmt::format("   {}OP/s", count_text(2 * r.work.macs / r.seconds));
    out += fmt::format("   {}/s   {:.1f} % of the roofline ({}-bound at {})", bytes_text(r.work.hbm_bytes / r.seconds),
                       100 * r.roofline_share(), r.roof.compute_bound() ? "compute" : "memory",
                       time_text(r.roof.bound_seconds() * 1e9));
    out += "\n" + utilization_text(report) + "  busy                 " +
           busy_text(r.counters, static_cast<double>(r.cycles), cores);
  }
  out += "\n" + totals_text(report);
  for (const kernels::TensorError& e : r.errors)
    out += fmt::format("\n  values                {}: max |error| {:.2e}, relative {:.2e} against fp64{}", e.tensor,
                       e.difference.max_abs, e.difference.max_rel, e.within ? "" : "   WRONG");
  return out + "\n";
}

nlohmann::json json_of(const kernels::CaseResult& r, const Report& report, const kernels::Shape& shape) {
  nlohmann::json json = to_json(report, "bench");
  json["kernel"] = r.kernel;
  json["dtype"] = name(r.dtype);
  for (const auto& [key, value] : shape) json["shape"][key] = value;
  json["work"] = {{"macs", r.work.macs}, {"hbm_bytes", r.work.hbm_bytes}};
  json["roofline"] = {{"bound_ns", r.roof.bound_seconds() * 1e9},
                      {"compute_ns", r.roof.compute_seconds * 1e9},
                      {"memory_ns", r.roof.memory_seconds * 1e9},
                      {"bound", r.roof.compute_bound() ? "compute" : "memory"},
                      {"share", report.timed() ? nlohmann::json(r.roofline_share()) : nlohmann::json()}};
  json["max_abs_error"] = nullptr;
  json["max_rel_error"] = nullptr;
  json["correct"] = nullptr;
  if (const kernels::TensorError* e = worst(r)) {
    json["max_abs_error"] = e->difference.max_abs;
    json["max_rel_error"] = e->difference.max_rel;
    json["correct"] = r.correct();
  }
  json["values_hash"] = r.values_hash ? nlohmann::json(fmt::format("{:016x}", *r.values_hash)) : nlohmann::json();
  for (const auto& [key, counter] : r.counters.rows) json["counters"][key] = counter.value;
  return json;
}

ExitCode run_compare(const KernelBench& b, const kernels::KernelDef& kernel, const kernels::Shape& shape, DType dtype,
                     bool chip_given) {
  const std::vector<Target> targets = find_targets(b.compare);
  if (!b.common.mode.empty())
    fail(ErrorKind::bad_input, "HDL-APP-19", "--compare runs each target in its own mode; leave out --mode");
  // One chip for all: where the RTL takes part, its own.
  std::string chip = b.common.chip;
  for (const Target& t : targets)
    if (t.name == "rtl") chip = chip_for(t, b.common, chip_given);
  std::vector<TargetRun> runs;
  for (const Target& t : targets) {
    sdk::Device device(t.api, {chip, b.common.set, t.standard_mode, b.common.host_threads});
    runs.push_back({t, t.standard_mode, kernels::run_case(device, t.standard_mode, kernel, shape, dtype, b.seed)});
  }
  const Comparison comparison(std::move(runs));
  if (!b.common.json.empty()) write_json(b.common.json, comparison.json());
  if (b.common.json != "-") print_result(comparison.text());
  if (!comparison.same_values())
    fmt::print(stderr, "heddle bench: {} does not give the same on {}\n", kernel.name, b.compare);
  if (!comparison.correct())
    fmt::print(stderr, "heddle bench: {} differs from its reference by more than its tolerance\n", kernel.name);
  return comparison.same_values() && comparison.correct() ? success : failed;
}

ExitCode run_bisect_targets(const KernelBench& b, const kernels::KernelDef& kernel, const kernels::Shape& shape,
                            DType dtype) {
  const std::vector<Target> targets = find_targets(b.compare);
  if (targets.size() != 2 || !b.common.mode.empty() || b.tolerance)
    fail(ErrorKind::bad_input, "HDL-APP-31",
         "--bisect --compare holds two targets against each other, each in its own mode and bit for bit");
  std::string chip = b.common.chip;
  for (const Target& t : targets)
    if (t.name == "rtl") chip = chip_for(t, b.common, b.chip_given);
  const auto on = [&](const Target& t) {
    return BisectTarget{t.name, t.api, {chip, b.common.set, t.standard_mode, 1}};
  };
  const TargetBisection found = bisect_targets(on(targets[0]), on(targets[1]), kernel, shape, dtype, b.seed);
  if (!b.common.json.empty()) write_json(b.common.json, found.json());
  if (b.common.json != "-") print_result(found.text());
  if (!found.divergence) return success;
  fmt::print(stderr, "heddle bench: {} does not give the same on {}\n", kernel.name, b.compare);
  return failed;
}

// Not a measurement: what it measures is where the values go wrong.
ExitCode run_bisect(const KernelBench& b, const kernels::KernelDef& kernel, const kernels::Shape& shape, DType dtype) {
  const Target target = find_target(b.target);
  const hdl_mode mode = b.common.mode.empty() ? target.standard_mode : parse_mode(b.common.mode);
  if (mode == HDL_MODE_TIMING)
    fail(ErrorKind::bad_input, "HDL-APP-31", "--bisect needs values: --mode values or full, not timing");
  if (b.no_check || b.common.profile || !b.common.trace.empty() || b.target == "rtl")
    fail(ErrorKind::bad_input, "HDL-APP-31", "--bisect goes without --no-check, --profile, --trace and --target rtl");
  if (!b.compare.empty()) return run_bisect_targets(b, kernel, shape, dtype);
  const sdk::OpenOptions device{chip_for(target, b.common, b.chip_given), b.common.set, mode, b.common.host_threads};
  const KernelBisection found = bisect_kernel(target.api, device, kernel, shape, dtype, b.seed, b.tolerance);
  if (!b.common.json.empty()) write_json(b.common.json, found.json());
  if (b.common.json != "-") print_result(found.text());
  if (!found.divergence) return success;
  fmt::print(stderr, "heddle bench: {} differs from its reference by more than its tolerance\n", kernel.name);
  return failed;
}

const Command bench("bench", "Run one kernel: cycles, roofline, error against its reference", [](CLI::App& sub) {
  auto b = std::make_shared<KernelBench>();
  auto list = std::make_shared<bool>(false);
  sub.add_option("kernel", b->kernel, "Which kernel; --list names them")->type_name("KERNEL");
  add_kernel_options(sub, *b);
  sub.add_flag("--list", *list, "Name the kernels with their sizes and types");
  sub.add_option("--target", b->target, "What runs it: the simulator, its arrays in RTL, or plain loops on the CPU")
      ->type_name(target_list)
      ->capture_default_str();
  sub.add_option("--compare", b->compare, "Run it on several targets and show them side by side")
      ->type_name("sim,rtl,..");
  add_bisect_options(sub, b->bisect, b->tolerance);
  add_common_options(sub, b->common);
  const CLI::Option* chip = sub.get_option("--chip");
  const std::function<ExitCode()> dram = add_bench_dram(sub), noc = add_bench_noc(sub);
  return [b, list, chip, &sub, dram, noc] {
    b->chip_given = chip->count() > 0;
    if (sub.got_subcommand("dram")) return dram();
    if (sub.got_subcommand("noc")) return noc();
    return *list ? list_kernels() : bench_kernel(*b);
  };
});

}  // namespace

void add_kernel_options(CLI::App& sub, KernelBench& b) {
  sub.add_option("--shape", b.shape, "Sizes other than the standard ones")->type_name("m=..,k=..");
  sub.add_option("--dtype", b.dtype, "Of the operands; by default the kernel's first")->type_name("TYPE");
  sub.add_option("--seed", b.seed, "Of the random operands")->capture_default_str();
  sub.add_flag("--no-check", b.no_check, "Do not compute the reference, which is slow for large shapes");
}

DType kernel_dtype(const kernels::KernelDef& kernel, const std::string& text) {
  if (text.empty()) return kernel.dtypes.front();
  if (const std::optional<DType> t = parse_dtype(text)) return *t;
  std::string known;
  for (const DType t : kernel.dtypes) known += fmt::format("{}{}", known.empty() ? "" : ", ", name(t));
  fail(ErrorKind::bad_input, "HDL-APP-08", "--dtype {}: no such type; {} comes in {}", text, kernel.name, known);
}

ExitCode bench_kernel(const KernelBench& b) {
  if (b.kernel.empty()) fail(ErrorKind::bad_input, "HDL-APP-09", "which kernel? heddle bench --list names them");
  require_writable(b.common.json);
  const kernels::KernelDef& kernel = kernels::find_kernel(b.kernel);
  const kernels::Shape shape = kernels::parse_shape(kernel, b.shape);
  const DType dtype = kernel_dtype(kernel, b.dtype);
  if (b.bisect) return run_bisect(b, kernel, shape, dtype);
  if (!b.compare.empty()) {
    check_instruments(b.common, HDL_MODE_FULL, false);
    return run_compare(b, kernel, shape, dtype, b.chip_given);
  }
  const Target target = find_target(b.target);
  const hdl_mode mode = b.common.mode.empty() ? target.standard_mode : parse_mode(b.common.mode);
  check_instruments(b.common, mode, b.target == "sim");
  Instruments instruments(b.common, "main");  // not those that place operands or collect results
  Hazards hazards;
  sdk::Device device(target.api, {chip_for(target, b.common, b.chip_given), b.common.set, mode, b.common.host_threads});
  const kernels::CaseResult r = kernels::run_case(device, mode, kernel, shape, dtype, b.seed, !b.no_check);
  instruments.finish();
  const Report report = make_report(r.counters, device.chip(), mode, r.host_seconds);
  if (!b.common.json.empty()) {
    nlohmann::json json = json_of(r, report, shape);
    add_jitter(json, b.common);
    instruments.add_profile(json, device.chip());
    instruments.add_prints(json);
    hazards.add_to(json);
    write_json(b.common.json, json);
  }
  if (b.common.json != "-")
    print_result(text_of(r, report, device.chip().cores) + instruments.profile(device.chip()) + hazards.text());
  if (r.correct()) return hazards.report(success);
  fmt::print(stderr, "heddle bench: {} differs from its reference by more than its tolerance\n", r.kernel);
  return hazards.report(failed);
}

}  // namespace heddle::app
