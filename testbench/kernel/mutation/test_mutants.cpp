// SPDX-License-Identifier: Apache-2.0
// The checkers under mutants of the shipped kernels, all of those that are registered, on one core and on two. Each
// mutant of a sample runs once with the checkers on. One that they let pass runs in many orders of its engines without
// them: where two orders give two results, a checker has missed it. A further sample runs in full mode too,
// under jitter.
//   test_mutants STRIDE FULL_STRIDE [KERNEL]     every STRIDE-th mutant, every FULL_STRIDE-th in full mode; 1: all
// A mutant that gives one wrong result in all orders is no hazard but a wrong program, which the reference finds.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "isa/base/error.hpp"
#include "kernels/registry/kernel.hpp"
#include "sdk/runtime/device.hpp"
#include "sim/top/simulator_api.h"
#include "testbench/kernel/mutation/mutate.hpp"

namespace {

using namespace heddle;

constexpr std::uint64_t orders = 24;      // drawn in values mode
constexpr std::uint64_t full_orders = 6;  // seeds of jitter
const std::string chip_file = std::string(HEDDLE_SOURCE_DIR) + "/configs/chip/edge.yaml";

struct Count {
  int mutants = 0, reported = 0, wrong = 0, harmless = 0, missed = 0;
  int full = 0, full_reported = 0, full_missed = 0;
  std::map<std::string, int> by_id;
  Count& operator+=(const Count& c) {
    mutants += c.mutants, reported += c.reported, wrong += c.wrong, harmless += c.harmless, missed += c.missed;
    full += c.full, full_reported += c.full_reported, full_missed += c.full_missed;
    for (const auto& [id, n] : c.by_id) by_id[id] += n;
    return *this;
  }
};

struct Case {
  std::string name;  // of the kernel, its shape and the cores
  int cores = 1;
  isa::ProgramImage image;
  std::vector<isa::Entry> entries;  // in the order of their launches
  std::vector<kernels::TensorSpec> specs;
  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<std::uint64_t> extra;
};

bool reads(kernels::Role r) { return r == kernels::Role::input || r == kernels::Role::inout; }
bool writes(kernels::Role r) { return r == kernels::Role::output || r == kernels::Role::inout; }

sdk::OpenOptions options(int cores, hdl_mode mode) {
  return {.chip = chip_file, .overrides = {fmt::format("cores={}", cores)}, .mode = mode, .host_threads = 1};
}

std::optional<Case> make_case(const kernels::KernelDef& kernel, const kernels::Shape& shape, int cores) {
  const DType dtype = kernel.dtypes.front();
  Case c;
  c.name = fmt::format("{} {} on {}", kernel.name, kernels::to_string(kernel, shape), cores);
  c.cores = cores;
  try {
    const sdk::Target target = sdk::Device(hdl_simulator_api(), options(cores, HDL_MODE_VALUES)).target();
    c.image = kernel.build(target, shape, dtype);
  } catch (const Error&) {
    return std::nullopt;  // not on so many cores
  }
  for (const char* name : {"prepare", "main", "collect"})
    for (const isa::Entry& e : c.image.entries)
      if (e.name == name) c.entries.push_back(e);
  // Others (the parts of gemm_array by themselves) are written for one core.
  for (const isa::Entry& e : c.image.entries)
    if (cores == 1 && e.name != "prepare" && e.name != "main" && e.name != "collect") c.entries.push_back(e);
  c.specs = kernel.tensors(shape, dtype);
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    kernels::HostTensor t(c.specs[i]);
    if (reads(c.specs[i].role)) t.randomize(1 + i);
    c.bytes.push_back(t.bytes());
  }
  if (kernel.extra_arguments) c.extra = kernel.extra_arguments(shape);
  return c;
}

struct Outcome {
  std::string error;    // its id; "" where the run ended well
  std::string outputs;  // bytes, in a row
  bool operator==(const Outcome&) const = default;
};

Outcome run(const Case& c, const isa::ProgramImage& image, hdl_mode mode, bool checked,
            std::optional<std::uint64_t> jitter) {
  sdk::OpenOptions o = options(c.cores, mode);
  if (!checked) o.overrides.push_back("check=none");
  if (jitter) o.overrides.push_back(fmt::format("jitter={}", *jitter));
  sdk::Device device(hdl_simulator_api(), o);
  std::vector<sdk::Buffer> buffers;
  std::vector<std::uint64_t> arguments;
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    buffers.push_back(device.allocate(std::max<std::size_t>(1, c.bytes[i].size()), 4096));
    if (reads(c.specs[i].role)) buffers.back().write(c.bytes[i]);
    arguments.push_back(buffers.back().address());
  }
  arguments.insert(arguments.end(), c.extra.begin(), c.extra.end());
  Outcome out;
  try {
    const sdk::LoadedImage loaded = device.load(image);
    for (const isa::Entry& e : c.entries)
      device.run(loaded, e.name, {arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(e.arguments)});
  } catch (const Error& e) {
    out.error = e.id();
    return out;
  }
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    if (!writes(c.specs[i].role)) continue;
    const std::size_t at = out.outputs.size();
    out.outputs.resize(at + c.bytes[i].size());
    buffers[i].read(std::as_writable_bytes(std::span(out.outputs)).subspan(at));
  }
  return out;
}

// Whether two orders give two results, values mode's and, where asked for, full mode's.
bool depends_on_order(const Case& c, const isa::ProgramImage& image, bool full) {
  const Outcome first = run(c, image, HDL_MODE_VALUES, false, 0);
  for (std::uint64_t seed = 1; seed < orders; ++seed)
    if (run(c, image, HDL_MODE_VALUES, false, seed) != first) return true;
  for (std::uint64_t seed = 0; full && seed < full_orders; ++seed)
    if (run(c, image, HDL_MODE_FULL, false, seed) != first) return true;
  return false;
}

void missed(const char* mode, const Case& c, const mutation::Mutant& m) {
  fmt::print("MISSED in {} mode: {}: {}\n", mode, c.name, m.what);
}

void try_mutant(const Case& c, const mutation::Mutant& m, bool full, const std::string& right, Count& count) {
  const isa::ProgramImage image = mutation::apply(c.image, m);
  std::optional<bool> depends;
  const auto harmful = [&] { return depends ? *depends : *(depends = depends_on_order(c, image, full)); };
  ++count.mutants;
  if (const std::string id = run(c, image, HDL_MODE_VALUES, true, std::nullopt).error; !id.empty()) {
    ++count.reported;
    ++count.by_id[id];
  } else if (harmful()) {
    ++count.missed;
    missed("values", c, m);
  } else {
    ++(run(c, image, HDL_MODE_VALUES, false, 0).outputs == right ? count.harmless : count.wrong);
  }
  if (!full) return;
  ++count.full;
  if (!run(c, image, HDL_MODE_FULL, true, count.full).error.empty()) {
    ++count.full_reported;
  } else if (harmful()) {
    ++count.full_missed;
    missed("full", c, m);
  }
}

// What the checkers say of the program as it is, and whether its outputs are the same in another order; "" if all well.
std::string alarm(const Case& c, const Outcome& right) {
  if (!right.error.empty()) return right.error;
  for (const hdl_mode mode : {HDL_MODE_VALUES, HDL_MODE_FULL})
    for (const std::uint64_t seed : {1, 2}) {
      const Outcome o = run(c, c.image, mode, true, seed);
      if (!o.error.empty()) return o.error;
      if (o != right) return "other values in another order";
    }
  return "";
}

// Of kernels that have no shapes for the common tests.
const std::map<std::string, std::vector<std::string>> own_shapes{
    {"gemm_sharded", {"m=24,k=16,n=24", "m=50,k=97,n=48"}}};

// The smallest and the largest shape class (a single turn of each loop, and many) on one core and on two, where the
// kernel runs on so many; else on the least number that it takes.
std::vector<Case> cases_of(const kernels::KernelDef& kernel) {
  std::vector<kernels::Shape> shapes;
  if (const auto own = own_shapes.find(kernel.name); own != own_shapes.end())
    for (const std::string& text : own->second) shapes.push_back(kernels::parse_shape(kernel, text));
  else if (!kernel.test_shapes.empty())
    shapes = {kernel.test_shapes.front(), kernel.test_shapes.back()};
  std::vector<Case> out;
  for (const kernels::Shape& shape : shapes) {
    const std::size_t before = out.size();
    for (const int cores : {1, 2, 4, 9})
      if (cores <= 2 || out.size() == before)
        if (std::optional<Case> c = make_case(kernel, shape, cores)) out.push_back(std::move(*c));
  }
  return out;
}

int run_all(std::size_t stride, std::size_t full_stride, const std::string& only) {
  Count all;
  std::size_t number = 0;
  int kernels_covered = 0, cases = 0, wrong = 0;
  for (const kernels::KernelDef* kernel : kernels::all_kernels()) {
    if (!only.empty() && kernel->name != only) continue;
    const std::vector<Case> made = cases_of(*kernel);
    ++(made.empty() ? wrong : kernels_covered);
    if (made.empty()) fmt::print("NOT COVERED: {}\n", kernel->name);
    for (const Case& c : made) {
      ++cases;
      const Outcome right = run(c, c.image, HDL_MODE_VALUES, true, std::nullopt);
      if (const std::string what = alarm(c, right); !what.empty()) {
        ++wrong;
        fmt::print("FALSE ALARM or a real race: {}: {}\n", c.name, what);
      }
      const std::vector<mutation::Mutant> mutants = mutation::mutants_of(c.image);
      Count count;
      for (const mutation::Mutant& m : mutants) {
        if (const std::size_t n = number++; n % stride == 0)
          try_mutant(c, m, n / stride % full_stride == 0, right.outputs, count);
      }
      fmt::print(
          "{:<64} {:>4} mutants of {:>4}: {:>4} reported, {:>3} wrong alike in every order, {:>3} harmless, {} missed; "
          "in full mode {:>3} of {:>3} reported, {} missed\n",
          c.name, count.mutants, mutants.size(), count.reported, count.wrong, count.harmless, count.missed,
          count.full_reported, count.full, count.full_missed);
      std::fflush(stdout);
      all += count;
    }
  }
  fmt::print(
      "{} kernels, {} cases, {} mutants: {} reported, {} wrong alike in every order, {} harmless in {} orders, {} "
      "missed; in full mode {} of {} reported, {} missed\n",
      kernels_covered, cases, all.mutants, all.reported, all.wrong, all.harmless, orders, all.missed, all.full_reported,
      all.full, all.full_missed);
  for (const auto& [id, n] : all.by_id) fmt::print("  {} {}\n", id, n);
  return all.missed == 0 && all.full_missed == 0 && wrong == 0 && all.reported > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

std::size_t number(const char* text) {
  std::size_t value = 0;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t stride = argc >= 3 ? number(argv[1]) : 0, full_stride = argc >= 3 ? number(argv[2]) : 0;
  if (stride == 0 || full_stride == 0) {
    fmt::print(stderr, "usage: test_mutants STRIDE FULL_STRIDE [KERNEL]\n");
    return EXIT_FAILURE;
  }
  try {
    return run_all(stride, full_stride, argc >= 4 ? argv[3] : "");
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
  }
  return EXIT_FAILURE;
}
