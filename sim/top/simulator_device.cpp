// SPDX-License-Identifier: Apache-2.0
#include "sim/top/simulator_device.hpp"

#include <algorithm>
#include <cstring>

#include "isa/base/error.hpp"
#include "sim/config/load_chip.hpp"
#include "sim/memory/i_memory_model.hpp"
#include "sim/top/system.hpp"

namespace heddle::top {

SimulatorDevice::SimulatorDevice(const std::string& chip, std::vector<std::string> overrides, hdl_mode mode,
                                 unsigned host_threads, const DeviceParts& parts)
    : checks_(check::take_selection(overrides)),
      jitter_(control::take_jitter(overrides)),
      chip_(config::load_chip(chip, overrides)),
      mode_(mode),
      memory_(chip_, checks_.uninit && mode != HDL_MODE_TIMING),
      hbm_(static_cast<std::uint64_t>(chip_.memory.capacity_bytes)),
      findings_(check::Installed::get() == nullptr ? own_findings_ : *check::Installed::get()) {
  // An array that computes its own values tells nobody when an instruction starts.
  if (checks_.races && !parts.make_mxu && mode != HDL_MODE_TIMING)
    races_ = std::make_unique<check::RaceChecker>(chip_, memory_, findings_);
  if (checks_.bounds && mode != HDL_MODE_TIMING)
    bounds_ = std::make_unique<check::BoundsChecker>(findings_, memory_.cores(),
                                                     [this](std::uint64_t address) { return buffer_at(address); });
  observers_.add(races_.get());
  observers_.add(bounds_.get());
  if (exec::IRunWatch* watch = exec::WatchInstalled::get()) {
    watch->opened(chip_, memory_);
    observers_.add(watch);
  }
  if (prints_ != nullptr) {
    const bool told = !parts.make_mxu && mode != HDL_MODE_TIMING;
    prints_->opened(chip_, memory_,
                    told                      ? ""
                    : mode == HDL_MODE_TIMING ? "timing mode computes no values"
                                              : "arrays in RTL do not tell when they read and write");
    if (told) observers_.add(prints_);
  }
  switch (mode) {
    case HDL_MODE_VALUES:
      values_ = std::make_unique<control::ValuesMachine>(chip_, memory_, host_threads,
                                                         parts.mxu_values ? parts.mxu_values() : nullptr);
      values_->observe(observers_.get());
      if (jitter_) values_->shuffle(jitter_->seed);
      break;
    case HDL_MODE_TIMING:
    case HDL_MODE_FULL: {
      SystemOptions options;
      options.all_values = mode == HDL_MODE_FULL;
      options.observer = trace::Installed::get();
      options.run_observer = observers_.get();
      // Few values are computed in timing mode, and time waits for most of them: a second thread would not help.
      options.host_threads = mode == HDL_MODE_TIMING ? 1 : host_threads;
      options.make_mxu = parts.make_mxu;
      options.mxu_observer = parts.mxu_observer;
      options.jitter = jitter_;
      system_ = std::make_unique<System>(chip_, memory_, std::move(options));
      break;
    }
    default:
      fail(ErrorKind::bad_input, "HDL-DEV-02", "mode {}; expected values, timing or full", static_cast<int>(mode));
  }
  fill_info();
}

SimulatorDevice::~SimulatorDevice() = default;

void SimulatorDevice::fill_info() {
  const auto u32 = [](std::int64_t v) { return static_cast<std::uint32_t>(v); };
  const auto u64 = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
  const config::CoreSpec& core = chip_.core;
  std::strncpy(info_.name, chip_.name.c_str(), sizeof(info_.name) - 1);
  info_.clock_hz = u64(chip_.clock_hz);
  info_.cores = u32(chip_.cores);
  info_.chips = u32(chip_.chips);
  info_.mxu_count = u32(core.mxu.count);
  info_.mxu_rows = u32(core.mxu.rows);
  info_.mxu_cols = u32(core.mxu.cols);
  info_.vpu_count = u32(core.vpu.count);
  info_.vpu_lanes = u32(core.vpu.lanes);
  info_.vpu_sublanes = u32(core.vpu.sublanes);
  info_.dma_engines = u32(core.dma.engines);
  info_.queue_depth = u32(core.sequencer.queue_depth);
  info_.semaphores = u32(core.semaphores);
  info_.spm_banks = u32(core.scratchpad.banks);
  info_.spm_width_bytes = u32(core.scratchpad.width_bytes);
  info_.spm_bytes = u64(core.scratchpad.size_bytes);
  info_.acc_bytes = u64(core.accumulator.size_bytes);
  info_.smem_bytes = u64(core.smem.size_bytes);
  info_.hbm_bytes = u64(chip_.memory.capacity_bytes);
  info_.hbm_bytes_per_second = u64(memory::make_memory_model(chip_.memory)->peak_bytes_per_second());
  const config::SoftwareSpec& software = chip_.software;
  info_.stage_bytes = software.applies ? u64(software.stage_bytes) : 0;
  info_.ragged_attention = software.applies && software.attention == config::AttentionSoftware::ragged ? 1 : 0;
  for (std::size_t t = 0; t < dtype_count; ++t) {
    const config::Ratio r = core.mxu.rate_of(static_cast<DType>(t));
    // Of the core's clock, also where the arrays have their own.
    const double clocks =
        static_cast<double>(chip_.period_fs()) / static_cast<double>(chip_.period_fs(core.mxu.clock_hz));
    info_.macs_per_cycle[t] = static_cast<double>(core.mxu.rows * core.mxu.cols * core.mxu.count) * clocks *
                              static_cast<double>(r.num) / static_cast<double>(r.den);
  }
}

void SimulatorDevice::write(std::uint64_t address, const void* data, std::uint64_t bytes) {
  memory_.host_write(0, address, data, bytes);
}

void SimulatorDevice::read(std::uint64_t address, void* data, std::uint64_t bytes) {
  memory_.host_read(0, address, data, bytes);
}

hdl_image SimulatorDevice::load_image(std::span<const std::uint8_t> data) {
  Image image;
  image.program = std::make_unique<control::Program>(isa::deserialize(data.data(), data.size()));
  const isa::ProgramImage& p = image.program->image();
  const std::uint64_t bytes = p.constant_offset(p.constants.size());
  if (bytes != 0) {
    image.constants = hbm_.allocate(bytes, 64);
    image.has_constants = true;
    for (std::size_t i = 0; i < p.constants.size(); ++i)
      memory_.host_write(0, image.constants + p.constant_offset(i), p.constants[i].bytes.data(),
                         p.constants[i].bytes.size());
  }
  images_.emplace(next_image_, std::move(image));
  return next_image_++;
}

SimulatorDevice::Image& SimulatorDevice::find(hdl_image image) {
  const auto it = images_.find(image);
  if (it == images_.end()) fail(ErrorKind::bad_input, "HDL-DEV-01", "image {} is not loaded", image);
  return it->second;
}

void SimulatorDevice::unload_image(hdl_image image) {
  if (launched_ && pending_.image == image)
    fail(ErrorKind::bad_input, "HDL-DEV-01", "image {} has a launch that nobody waited for", image);
  const Image& i = find(image);
  if (i.has_constants) hbm_.release(i.constants);
  images_.erase(image);
}

void SimulatorDevice::launch(hdl_image image, std::string_view entry, std::span<const std::uint64_t> arguments) {
  if (launched_) fail(ErrorKind::bad_input, "HDL-DEV-01", "a launch is under way; wait for it first");
  const isa::Entry& e = find(image).program->entry(entry);
  if (e.arguments != arguments.size())
    fail(ErrorKind::bad_input, "HDL-DEV-01", "entry '{}' takes {} arguments, {} are given", e.name, e.arguments,
         arguments.size());
  pending_ = {image, e.instruction, {arguments.begin(), arguments.end()}};
  launched_ = true;
}

void SimulatorDevice::wait() {
  if (!launched_) return;
  launched_ = false;
  const Image& image = find(pending_.image);
  const bool collected = check::Installed::get() == &findings_;
  if (!collected) findings_.clear();
  try {
    run(image);
  } catch (const Error& e) {
    if (prints_ != nullptr) prints_->end_launch();  // the way there may explain it
    if (findings_.failed()) throw check::with_findings(e, findings_);
    throw;
  }
  if (prints_ != nullptr) prints_->end_launch();
  if (!collected && findings_.failed()) throw check::as_error(findings_);
}

void SimulatorDevice::run(const Image& image) {
  if (races_ != nullptr || bounds_ != nullptr) findings_.begin_launch(image.program->image());
  if (values_ != nullptr) {
    const control::LaunchCounts c =
        values_->run(*image.program, pending_.instruction, image.constants, pending_.arguments);
    value_counts_.instructions += c.instructions;
    value_counts_.engine_instructions += c.engine_instructions;
    ++value_launches_;
  } else {
    system_->run(*image.program, pending_.instruction, image.constants, pending_.arguments);
  }
}

// A program that names addresses of its own, on a device where nothing is allocated, has all of HBM as its buffer.
std::optional<check::ByteRange> SimulatorDevice::buffer_at(std::uint64_t address) const {
  if (hbm_.empty()) return check::ByteRange{0, memory_.capacity(isa::Space::hbm)};
  const auto block = hbm_.block_of(address);
  if (!block) return std::nullopt;
  return check::ByteRange{block->first, block->first + block->second};
}

const trace::Counters& SimulatorDevice::count() {
  counters_ = {};
  if (system_ != nullptr) {
    system_->count(counters_);
  } else {
    counters_.add("launches", "launches", "that ended well", value_launches_);
    counters_.add("instructions", "instructions", "executed by all sequencers", value_counts_.instructions);
    counters_.add("tile_instructions", "instructions", "put into engine queues, all cores",
                  value_counts_.engine_instructions);
  }
  return counters_;
}

}  // namespace heddle::top
