// SPDX-License-Identifier: Apache-2.0
// The checkers under mutants of the shipped kernels. Each mutant of a sample runs once with the checkers on. One that
// they let pass runs in many orders of its engines without them: where two orders give two results, a checker has
// missed it.
//   test_mutants STRIDE [KERNEL]      every STRIDE-th mutant; 1: all
// A mutant that gives one wrong result in all orders is no hazard but a wrong program, which the reference finds.
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "isa/base/error.hpp"
#include "kernels/registry/kernel.hpp"
#include "sdk/runtime/device.hpp"
#include "sim/config/load_chip.hpp"
#include "sim/top/simulator_api.h"
#include "testbench/kernel/mutation/any_order.hpp"
#include "testbench/kernel/mutation/mutate.hpp"

namespace {

using namespace heddle;
using mutation::Placed;

constexpr std::uint64_t orders = 24;
const std::string chip_file = std::string(HEDDLE_SOURCE_DIR) + "/configs/chip/edge.yaml";

struct Count {
  int mutants = 0, reported = 0, wrong = 0, harmless = 0, missed = 0;
  std::map<std::string, int> by_id;
};

struct Case {
  const kernels::KernelDef& kernel;
  const kernels::Shape& shape;
  DType dtype;
  isa::ProgramImage image;
  std::vector<kernels::TensorSpec> specs;
  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<std::uint64_t> extra;
};

bool reads(kernels::Role r) { return r == kernels::Role::input || r == kernels::Role::inout; }
bool writes(kernels::Role r) { return r == kernels::Role::output || r == kernels::Role::inout; }

sdk::OpenOptions options() {
  sdk::OpenOptions o;
  o.chip = chip_file;
  o.overrides = {"cores=1"};
  o.mode = HDL_MODE_VALUES;
  o.host_threads = 1;
  return o;
}

Case make_case(const kernels::KernelDef& kernel, const kernels::Shape& shape, const sdk::Target& target) {
  const DType dtype = kernel.dtypes.front();
  Case c{kernel, shape, dtype, kernel.build(target, shape, dtype), kernel.tensors(shape, dtype), {}, {}};
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    kernels::HostTensor t(c.specs[i]);
    if (reads(c.specs[i].role)) t.randomize(1 + i);
    c.bytes.push_back(t.bytes());
  }
  if (kernel.extra_arguments) c.extra = kernel.extra_arguments(shape);
  return c;
}

// The id of what the checkers, all of them, say; "" for nothing.
std::string checked(const Case& c, const isa::ProgramImage& image) {
  sdk::Device device(hdl_simulator_api(), options());
  std::vector<sdk::Buffer> buffers;
  std::vector<std::uint64_t> arguments;
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    buffers.push_back(device.allocate(std::max<std::size_t>(1, c.bytes[i].size()), 4096));
    if (reads(c.specs[i].role)) buffers.back().write(c.bytes[i]);
    arguments.push_back(buffers.back().address());
  }
  arguments.insert(arguments.end(), c.extra.begin(), c.extra.end());
  try {
    device.run(device.load(image), "main", arguments);
  } catch (const Error& e) {
    return e.id();
  }
  return "";
}

std::string in_order(const config::ChipSpec& chip, const Case& c, const isa::ProgramImage& image, std::uint64_t seed) {
  std::vector<Placed> tensors;
  std::vector<std::uint64_t> arguments;
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    tensors.push_back({(i + 1) << 24, c.bytes[i], writes(c.specs[i].role)});
    arguments.push_back(tensors.back().address);
  }
  arguments.insert(arguments.end(), c.extra.begin(), c.extra.end());
  return mutation::run_in_order(chip, image, tensors, arguments, seed);
}

void try_mutant(const config::ChipSpec& chip, const Case& c, const mutation::Mutant& m, const std::string& right,
                Count& count) {
  const isa::ProgramImage image = mutation::apply(c.image, m);
  ++count.mutants;
  if (const std::string id = checked(c, image); !id.empty()) {
    ++count.reported;
    ++count.by_id[id];
    return;
  }
  const std::string first = in_order(chip, c, image, 0);
  for (std::uint64_t seed = 1; seed < orders; ++seed) {
    if (in_order(chip, c, image, seed) == first) continue;
    ++count.missed;
    fmt::print("MISSED: {} {}: {}\n", c.kernel.name, kernels::to_string(c.kernel, c.shape), m.what);
    return;
  }
  ++(first == right ? count.harmless : count.wrong);
}

int run(std::size_t stride, const std::string& only) {
  const config::ChipSpec chip = config::load_chip(chip_file, {"cores=1"});
  const sdk::Target target = sdk::Device(hdl_simulator_api(), options()).target();
  Count all;
  std::size_t number = 0;
  int alarms = 0;
  for (const kernels::KernelDef* kernel : kernels::all_kernels()) {
    if ((!only.empty() && kernel->name != only) || kernel->test_shapes.empty()) continue;
    // The smallest and the largest class: a single turn of each loop, and many.
    for (const kernels::Shape* shape : {&kernel->test_shapes.front(), &kernel->test_shapes.back()}) {
      std::optional<Case> made;
      try {
        made.emplace(make_case(*kernel, *shape, target));
      } catch (const Error&) {
        continue;  // not on one core
      }
      const Case& c = *made;
      if (c.image.entries.size() != 1) continue;  // operands that a launch before this one leaves in the scratchpad
      const std::vector<mutation::Mutant> mutants = mutation::mutants_of(c.image);
      std::string right;
      Count count;
      for (const mutation::Mutant& m : mutants) {
        if (number++ % stride != 0) continue;
        if (right.empty()) {
          right = in_order(chip, c, c.image, 0);
          const std::string alarm = checked(c, c.image);
          if (!alarm.empty() || in_order(chip, c, c.image, 1) != right) {
            ++alarms;
            fmt::print("FALSE ALARM or a real race: {} {}: {}\n", kernel->name, kernels::to_string(*kernel, *shape),
                       alarm);
          }
        }
        try_mutant(chip, c, m, right, count);
      }
      fmt::print(
          "{:<16} {:<44} {:>4} mutants of {:>4}: {:>4} reported, {:>3} wrong alike in every order, {:>3} harmless, "
          "{} missed\n",
          kernel->name, kernels::to_string(*kernel, *shape), count.mutants, mutants.size(), count.reported, count.wrong,
          count.harmless, count.missed);
      std::fflush(stdout);
      all.mutants += count.mutants, all.reported += count.reported, all.wrong += count.wrong;
      all.harmless += count.harmless, all.missed += count.missed;
      for (const auto& [id, n] : count.by_id) all.by_id[id] += n;
    }
  }
  fmt::print("{} mutants: {} reported, {} wrong alike in every order, {} harmless in {} orders, {} missed\n",
             all.mutants, all.reported, all.wrong, all.harmless, orders, all.missed);
  for (const auto& [id, n] : all.by_id) fmt::print("  {} {}\n", id, n);
  return all.missed == 0 && alarms == 0 && all.reported > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t stride = 0;
  if (argc >= 2) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), stride);
  if (stride == 0) {
    fmt::print(stderr, "usage: test_mutants STRIDE [KERNEL]\n");
    return EXIT_FAILURE;
  }
  try {
    return run(stride, argc >= 3 ? argv[2] : "");
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
  }
  return EXIT_FAILURE;
}
