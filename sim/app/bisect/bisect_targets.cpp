// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/bisect_targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "isa/image/bytes.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

using Key = std::tuple<std::int64_t, std::uint32_t, std::uint64_t>;  // launch, core, number of the issue

// What each instruction read and wrote, as hashes; of one of them the numbers themselves.
class Fingerprints final : public exec::IRunWatch {
 public:
  struct Step {
    std::uint64_t read = isa::fnv_start, written = isa::fnv_start;
    StepId id = 0;  // in the log
  };
  explicit Fingerprints(std::optional<Key> wanted = std::nullopt) : wanted_(wanted) {}

  void opened(const config::ChipSpec& chip, const exec::MachineMemory& memory) override {
    memory_ = &memory;
    log.opened(chip, memory);
  }
  void begin_launch(const isa::ProgramImage* image) override {
    finish();
    ++launch_;
    log.begin_launch(image);
  }
  void start(const exec::EngineOp& op, std::int64_t cycle) override {
    finish();
    if (!moves_data(op)) return;
    const Key key{launch_, op.core, op.sequence};
    Step step;
    step.id = log.end();
    log.start(op, cycle);
    for (const isa::View* v : sources_of(op)) {
      add(op, *v, step.read);
      if (key == wanted_)
        read.push_back({elements_of(op, *v, *memory_), values_of(elements_of(op, *v, *memory_), *memory_)});
    }
    order.push_back(key);
    steps.emplace(key, step);
    last_ = op;
    open_ = true;
  }
  void finish() {
    if (!open_) return;
    open_ = false;
    Step& step = steps.at(order.back());
    for (const isa::View* v : results_of(last_)) {
      add(last_, *v, step.written);
      if (order.back() == wanted_)
        written.push_back({elements_of(last_, *v, *memory_), values_of(elements_of(last_, *v, *memory_), *memory_)});
    }
  }

  RunLog log;
  std::vector<Key> order;
  std::map<Key, Step> steps;
  std::vector<Replay::Captured> read, written;  // of the wanted one

 private:
  void add(const exec::EngineOp& op, const isa::View& view, std::uint64_t& hash) const {
    const exec::Place place = exec::place_of(view, op.chip, op.core);
    const std::uint8_t* data = memory_->region(place.space, place.chip, place.core).data;
    for_each_run(op, view, *memory_,
                 [&](std::uint64_t begin, std::uint64_t bytes) { hash = isa::fnv(hash, data + begin, bytes); });
  }
  std::optional<Key> wanted_;
  const exec::MachineMemory* memory_ = nullptr;
  std::int64_t launch_ = 0;
  exec::EngineOp last_;
  bool open_ = false;
};

// The case on a target; `done` while the device is there.
template <class Done>
void run_on(const BisectTarget& target, const kernels::KernelDef& kernel, const kernels::Shape& shape, DType dtype,
            std::uint64_t seed, Fingerprints& watch, Done&& done) {
  const exec::WatchInstalled installed(&watch);
  sdk::OpenOptions options = target.options;
  options.host_threads = 1;
  sdk::Device device(target.api, options);
  const kernels::PlacedCase placed = kernels::place_case(device, options.mode, kernel, shape, dtype, seed);
  for (const char* entry : {"prepare", "main", "collect"})
    if (placed.has(entry)) device.run(placed.image, entry, placed.arguments);
  watch.finish();
  done(device, placed);
}

// The first pair of numbers that differ.
void compare(const std::vector<Replay::Captured>& a, const std::vector<Replay::Captured>& b, const char* of,
             TargetDivergence& d) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    for (std::size_t e = 0; e < std::min(a[i].device.size(), b[i].device.size()); ++e) {
      if (a[i].device[e] == b[i].device[e] || (std::isnan(a[i].device[e]) && std::isnan(b[i].device[e]))) continue;
      d.element = fmt::format("{} of {}", index_text(a[i].elements, e), of);
      d.first = a[i].device[e], d.second = b[i].device[e];
      return;
    }
}

}  // namespace

TargetBisection bisect_targets(const BisectTarget& first, const BisectTarget& second, const kernels::KernelDef& kernel,
                               const kernels::Shape& shape, DType dtype, std::uint64_t seed) {
  TargetBisection result;
  result.kernel = kernel.name;
  result.shape = to_string(kernel, shape);
  result.first = first.name, result.second = second.name;
  result.dtype = dtype;
  Fingerprints b;
  run_on(second, kernel, shape, dtype, seed, b, [](auto&, auto&) {});
  Fingerprints a;
  std::optional<Key> at;
  run_on(first, kernel, shape, dtype, seed, a, [&](const sdk::Device& device, const kernels::PlacedCase&) {
    result.chip = device.target().name;
    for (const Key& key : a.order) {
      const auto there = b.steps.find(key);
      if (there == b.steps.end()) continue;
      ++result.instructions;
      const Fingerprints::Step& here = a.steps.at(key);
      if (at || (here.read == there->second.read && here.written == there->second.written)) continue;
      at = key;
      result.divergence = TargetDivergence{site_of(a.log, here.id), here.read == there->second.read, {}, 0, 0};
    }
  });
  if (!at) return result;
  Fingerprints again_a(at), again_b(at);
  run_on(second, kernel, shape, dtype, seed, again_b, [](auto&, auto&) {});
  run_on(first, kernel, shape, dtype, seed, again_a, [](auto&, auto&) {});
  TargetDivergence& d = *result.divergence;
  if (d.computed)
    compare(again_a.written, again_b.written, "its result", d);
  else
    compare(again_a.read, again_b.read, "what it reads", d);
  return result;
}

std::string TargetBisection::text() const {
  std::string out = fmt::format("{} {} {} on {}: {} instructions on {} and {}\n", kernel, name(dtype), shape, chip,
                                grouped(instructions), first, second);
  if (!divergence) return out + "  no divergence: every one of them reads and writes the same bits\n";
  const TargetDivergence& d = *divergence;
  out += "  first divergence      " + d.site.text() + "\n";
  out += fmt::format("                        {}\n",
                     d.computed ? "reads the same and makes something else of it" : "reads something else");
  return out + fmt::format("  element               {}: {:.9g} on {}, {:.9g} on {}\n", d.element, d.first, first,
                           d.second, second);
}

nlohmann::json TargetBisection::json() const {
  nlohmann::json json{{"schema", result_schema},    {"command", "bench"},
                      {"kernel", kernel},           {"chip", chip},
                      {"dtype", name(dtype)},       {"shape", shape},
                      {"targets", {first, second}}, {"instructions", instructions},
                      {"same_values", !divergence}, {"divergence", nullptr}};
  if (!divergence) return json;
  const TargetDivergence& d = *divergence;
  json["divergence"] = {{"by", to_json(d.site)},
                        {"computed", d.computed},
                        {"element", d.element},
                        {first, json_number(d.first)},
                        {second, json_number(d.second)}};
  return json;
}

}  // namespace heddle::app
