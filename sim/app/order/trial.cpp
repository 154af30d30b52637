// SPDX-License-Identifier: Apache-2.0
#include "sim/app/order/trial.hpp"

#include <fmt/ranges.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "kernels/registry/element.hpp"
#include "sim/app/workers.hpp"
#include "sim/config/load_chip.hpp"
#include "sim/control/jitter.hpp"
#include "sim/top/simulator_device.hpp"

namespace heddle::app {
namespace {

using nlohmann::json;

constexpr std::size_t page = 4096;

// To zeroed shared memory, without committing pages that stay zero.
void copy_touched(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  static constexpr std::uint8_t zeros[page] = {};
  for (std::size_t at = 0; at < bytes; at += page) {
    const std::size_t n = std::min(page, bytes - at);
    if (std::memcmp(from + at, zeros, n) != 0) std::memcpy(to + at, from + at, n);
  }
}

// The element, or the byte, that holds byte `at`.
std::string text_at(const Range& r, const std::uint8_t* bytes, std::size_t at) {
  if (!r.dtype) return fmt::format("{:#04x}", bytes[at]);
  const std::size_t element = std::max<std::size_t>(1, static_cast<std::size_t>(bits(*r.dtype)) / 8);
  return fmt::format("{}", kernels::read_element(bytes + at / element * element, *r.dtype, 0));
}

// The identifier and the place; of a race the two instructions, for which of them is the place depends on the order.
std::string key_of(const Error& e) {
  if (!e.id().starts_with("HDL-RACE")) return fmt::format("{} {}:{}", e.id(), e.where().file, e.where().line);
  static const std::regex instruction("instruction ([0-9]+)");
  const std::string text = e.what();
  std::set<std::string> numbers;
  for (std::sregex_iterator i(text.begin(), text.end(), instruction), end; i != end; ++i) numbers.insert((*i)[1]);
  return fmt::format("{} {}", e.id(), fmt::join(numbers, " "));
}

json to_json(const Trial& t) {
  json out{{"hazards", json::array()}, {"ended", t.ended}, {"differences", json::array()}};
  for (const TrialHazard& h : t.hazards) out["hazards"].push_back({h.id, h.key, h.text});
  if (t.cycles) out["cycles"] = *t.cycles;
  if (t.refused) out["refused"] = {static_cast<int>(*t.refused), t.refusal};
  for (const RangeDifference& d : t.differences)
    out["differences"].push_back({d.range, d.first, d.count, d.there, d.here});
  return out;
}

void fill(Trial& t, const json& j) {
  if (j.contains("cycles")) t.cycles = j["cycles"].get<std::uint64_t>();
  for (const json& h : j["hazards"]) t.hazards.push_back({h[0], h[1], h[2]});
  t.ended = j["ended"];
  if (j.contains("refused")) {
    t.refused = static_cast<ErrorKind>(j["refused"][0].get<int>());
    t.refusal = j["refused"][1];
  }
  for (const json& d : j["differences"]) t.differences.push_back({d[0], d[1], d[2], d[3], d[4]});
}

}  // namespace

SharedBytes::SharedBytes(std::size_t bytes) : size_(std::max<std::size_t>(1, bytes)) {
  void* p = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::uint8_t*>(p);
}

SharedBytes::~SharedBytes() { munmap(data_, size_); }

Trials::Trials(const Subject& subject, std::string chip, std::vector<std::string> overrides, hdl_mode mode,
               std::int64_t most_cycles)
    : subject_(subject),
      chip_name_(std::move(chip)),
      overrides_(std::move(overrides)),
      mode_(mode),
      most_cycles_(most_cycles),
      chip_(config::load_chip(chip_name_, overrides_)) {
  if (mode_ == HDL_MODE_TIMING) return;  // no values
  std::size_t at = 0;
  const auto add = [&](Range r) {
    r.at = at;
    at += (r.bytes + page - 1) / page * page;
    ranges_.push_back(std::move(r));
  };
  for (std::size_t i = 0; i < subject_.operands.size(); ++i) {
    const Operand& o = subject_.operands[i];
    if (o.compared) add({.name = o.name, .bytes = o.bytes.size(), .dtype = o.dtype, .operand = i});
  }
  if (subject_.on_chip)
    for (std::uint32_t core = 0; core < static_cast<std::uint32_t>(chip_.cores); ++core) {
      const auto memory = [&](const char* name, isa::Space space, std::int64_t bytes) {
        add({.name = fmt::format("{} of core {}", name, core),
             .bytes = static_cast<std::size_t>(bytes),
             .space = space,
             .core = core});
      };
      memory("spm", isa::Space::spm, chip_.core.scratchpad.size_bytes);
      memory("acc", isa::Space::acc, chip_.core.accumulator.size_bytes);
      memory("smem", isa::Space::smem, chip_.core.smem.size_bytes);
    }
  plain_ = std::make_unique<SharedBytes>(at);
}

// Runs the subject once; then fills in cycles, and keeps or compares what the ranges hold.
void Trials::launch(const std::vector<std::string>& overrides, Trial& trial) const {
  top::SimulatorDevice device(chip_name_, overrides, mode_, 1);
  const hdl_image image = device.load_image(isa::serialize(subject_.image));
  std::vector<std::uint64_t> arguments;
  for (const Operand& o : subject_.operands) {
    arguments.push_back(o.buffer ? device.allocate(std::max<std::size_t>(1, o.bytes.size()), page) : o.number);
    // Without values only index lists matter.
    const bool needed = mode_ != HDL_MODE_TIMING || !o.dtype || o.dtype == DType::int32;
    if (o.upload && needed) device.write(arguments.back(), o.bytes.data(), o.bytes.size());
  }
  std::uint64_t cycles = 0;
  for (const std::string& entry : subject_.entries) {
    const std::uint64_t before = device.count().value("cycles");
    device.launch(image, entry, arguments);
    device.wait();
    if (entry == subject_.timed) cycles = device.count().value("cycles") - before;
  }
  if (mode_ != HDL_MODE_VALUES) trial.cycles = cycles;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Range& r = ranges_[i];
    std::vector<std::uint8_t> copy;
    if (!r.space) {
      copy.resize(r.bytes);
      device.read(arguments[r.operand], copy.data(), r.bytes);
    }
    const std::uint8_t* here = r.space ? device.memory().data(*r.space, 0, r.core) : copy.data();
    std::uint8_t* there = plain_->data() + r.at;
    if (!trial.seed) {
      copy_touched(there, here, r.bytes);
    } else if (std::memcmp(here, there, r.bytes) != 0) {
      RangeDifference d{.range = i, .first = r.bytes, .count = 0};
      for (std::size_t b = r.bytes; b-- > 0;)
        if (here[b] != there[b]) d.first = b, ++d.count;
      d.there = text_at(r, there, d.first);
      d.here = text_at(r, here, d.first);
      trial.differences.push_back(std::move(d));
    }
  }
}

Trial Trials::try_one(std::optional<std::uint64_t> seed) const {
  Trial trial;
  trial.seed = seed;
  std::vector<std::string> overrides = overrides_;
  if (seed) overrides.push_back(fmt::format("jitter={},{}", *seed, most_cycles_));
  try {
    launch(overrides, trial);
    return trial;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::program) {
      trial.refused = e.kind();
      trial.refusal = e.what();
      return trial;
    }
    trial.hazards.push_back({e.id(), key_of(e), e.what()});
  }
  // What the values are all the same.
  overrides.push_back("check=none");
  try {
    launch(overrides, trial);
  } catch (const Error& e) {
    trial.ended = e.id();
  }
  return trial;
}

std::vector<Trial> Trials::run(std::uint64_t seeds, unsigned jobs, const std::function<void(std::size_t)>& finished) {
  std::vector<Trial> trials(seeds + 1);
  for (std::uint64_t i = 1; i <= seeds; ++i) trials[i].seed = i;
  const auto some = [&](std::size_t first, std::size_t count) {
    const auto job = [&](std::size_t i) {
      return to_json(try_one(trials[first + i].seed)).dump(-1, ' ', false, json::error_handler_t::replace);
    };
    const std::vector<WorkerAnswer> answers =
        run_in_workers(count, {.jobs = jobs}, job, [&](std::size_t done) { finished(first + done); });
    for (std::size_t i = 0; i < count; ++i) {
      if (answers[i].failure) fail(ErrorKind::internal, answers[i].failure->substr(0, 10), "{}", *answers[i].failure);
      fill(trials[first + i], json::parse(answers[i].text));
    }
  };
  some(0, 1);  // the others are held against it
  if (trials.front().refused) return {trials.front()};
  some(1, seeds);
  return trials;
}

}  // namespace heddle::app
