// SPDX-License-Identifier: Apache-2.0
// The simulator as a device: memory, images, launches and counters, in C++ terms; simulator_api.cpp gives it its C
// face.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/abi/device.h"
#include "sim/check/bounds_checker.hpp"
#include "sim/check/findings.hpp"
#include "sim/check/race_checker.hpp"
#include "sim/check/selection.hpp"
#include "sim/compute/mxu_observer.hpp"
#include "sim/config/chip_spec.hpp"
#include "sim/control/jitter.hpp"
#include "sim/control/program.hpp"
#include "sim/control/values_machine.hpp"
#include "sim/exec/machine_memory.hpp"
#include "sim/exec/run_watch.hpp"
#include "sim/inspect/prints.hpp"
#include "sim/top/hbm_allocator.hpp"
#include "sim/trace/counters.hpp"

namespace heddle::top {

class System;

// What a device that is not the simulator puts in place of the simulator's own parts.
struct DeviceParts {
  compute::MxuFactory make_mxu;                                     // clocked modes; empty: compute::Mxu
  compute::IMxuObserver* mxu_observer = nullptr;                    // clocked modes
  std::function<std::unique_ptr<exec::IMxuExecutor>()> mxu_values;  // values mode; empty: sim/exec's own
};

class SimulatorDevice {
 public:
  // overrides: keys of the chip, check=LIST for the instruments (sim/check/selection.hpp), jitter=SEED[,MAX]
  // (sim/control/jitter.hpp). Throws what load_chip(), parse_selection(), parse_jitter() and System throw.
  SimulatorDevice(const std::string& chip, std::vector<std::string> overrides, hdl_mode mode, unsigned host_threads,
                  const DeviceParts& parts = {});
  ~SimulatorDevice();

  const hdl_chip_info& info() const { return info_; }
  const config::ChipSpec& chip() const { return chip_; }
  exec::MachineMemory& memory() { return memory_; }
  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment) { return hbm_.allocate(bytes, alignment); }
  void release(std::uint64_t address) { hbm_.release(address); }
  void write(std::uint64_t address, const void* data, std::uint64_t bytes);
  void read(std::uint64_t address, void* data, std::uint64_t bytes);

  // Places the image's constants in HBM. Throws HDL-IMG-* for a bad image.
  hdl_image load_image(std::span<const std::uint8_t> data);
  void unload_image(hdl_image image);

  // Throws HDL-DEV-01 (bad_input): a launch is still to be waited for, an unknown image, another number of arguments
  // than the entry expects.
  void launch(hdl_image image, std::string_view entry, std::span<const std::uint64_t> arguments);
  // Throws what the launch throws; and, where no check::Installed collects them, what the checkers found in it.
  void wait();
  const trace::Counters& count();

 private:
  struct Image {
    std::unique_ptr<control::Program> program;
    std::uint64_t constants = 0;
    bool has_constants = false;
  };
  struct Launch {
    hdl_image image = 0;
    std::uint32_t instruction = 0;
    std::vector<std::uint64_t> arguments;
  };
  Image& find(hdl_image image);
  std::optional<check::ByteRange> buffer_at(std::uint64_t address) const;
  void fill_info();
  void run(const Image& image);  // the pending launch

  check::Selection checks_;
  std::optional<control::JitterOptions> jitter_;
  config::ChipSpec chip_;
  hdl_mode mode_;
  hdl_chip_info info_{};
  exec::MachineMemory memory_;
  HbmAllocator hbm_;
  check::Findings own_findings_;
  check::Findings& findings_;  // its own, or those installed
  std::unique_ptr<check::RaceChecker> races_;
  std::unique_ptr<check::BoundsChecker> bounds_;
  inspect::Prints* prints_ = inspect::InstalledPrints::get();
  exec::RunObservers observers_;
  std::unique_ptr<control::ValuesMachine> values_;
  std::unique_ptr<System> system_;
  std::map<hdl_image, Image> images_;
  hdl_image next_image_ = 1;
  Launch pending_;
  bool launched_ = false;
  control::LaunchCounts value_counts_;
  std::uint64_t value_launches_ = 0;
  trace::Counters counters_;
};

}  // namespace heddle::top
