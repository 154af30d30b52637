// SPDX-License-Identifier: Apache-2.0
// What an array did in one launch, instruction by instruction: as the timing model and sim/exec say, and as the RTL
// did.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "sim/rtl/rtl_mxu.hpp"
#include "sim/top/simulator_device.hpp"

namespace heddle::testing {

// Cycles are absolute; rows in order. Bits: of each result, as it left the array.
struct Course {
  std::string what;
  std::int64_t start = 0, fed = 0, end = 0;
  std::vector<std::int64_t> rows_in, rows_out;
  std::vector<std::vector<std::uint32_t>> bits;
};
using Courses = std::map<std::uint64_t, Course>;  // by the instruction's number in the launch

// Rows of the model: from its start, its length and the closed forms of sim/compute/mxu_timing.hpp.
class ModelRecorder final : public compute::IMxuObserver {
 public:
  void watch(top::SimulatorDevice& device) { device_ = &device; }
  void ran(const exec::EngineOp& op, TimeFs start, TimeFs fed, TimeFs end) override;
  Courses courses;

 private:
  top::SimulatorDevice* device_ = nullptr;
};

class RtlRecorder final : public compute::IMxuObserver, public rtl::IRtlObserver {
 public:
  void watch(top::SimulatorDevice& device) { device_ = &device; }
  void ran(const exec::EngineOp& op, TimeFs start, TimeFs fed, TimeFs end) override;
  void entered(const exec::EngineOp& op, std::uint32_t row, TimeFs at) override;
  void left(const exec::EngineOp& op, std::uint32_t row, TimeFs at, std::span<const std::uint32_t> bits) override;
  Courses courses;

 private:
  std::int64_t cycle(TimeFs t) const { return t / TimeFs(device_->chip().period_fs()); }
  top::SimulatorDevice* device_ = nullptr;
};

// The first difference, in words, or nothing.
std::string difference(const Courses& model, const Courses& rtl);

}  // namespace heddle::testing
