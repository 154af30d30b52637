// SPDX-License-Identifier: Apache-2.0
// Some steps of a run once more, in double (exact.hpp): each reads what the steps before it gave in double, or what lay
// in the machine's memory where none of them wrote.
//
// The run is repeated with this as its watch, since only then is it known which steps matter; two runs of one program
// with the same inputs take the same steps.
#pragma once
#include <functional>
#include <unordered_map>
#include <vector>

#include "sim/app/bisect/exact.hpp"
#include "sim/app/bisect/operands.hpp"
#include "sim/app/bisect/run_log.hpp"

namespace heddle::app {

class Replay final : public exec::IRunWatch {
 public:
  struct Captured {
    Elements elements;
    std::vector<double> device;  // what the machine read, or wrote
  };
  struct Step {
    StepId id = 0;
    exec::EngineOp op;
    std::vector<Captured> sources, results;
  };

  // Rising. A device that runs it has one host thread. stop: end the run (enough_id) when all have been seen.
  explicit Replay(std::vector<StepId> steps, bool stop = false) : wanted_(std::move(steps)), stop_(stop) {}

  void opened(const config::ChipSpec& chip, const exec::MachineMemory& memory) override;
  void begin_launch(const isa::ProgramImage* image) override;
  void start(const exec::EngineOp& op, std::int64_t cycle) override;
  // After the last launch, while the device is there.
  void finish();

  // False where the steps hold more elements than are kept; then there is nothing to run.
  bool complete() const { return elements_ <= most_elements; }
  const std::vector<Step>& steps() const { return steps_; }
  // Of the last launch.
  const isa::ProgramImage* image() const { return image_; }
  // Runs the steps; told of each with its results.
  using Told = std::function<void(const Step&, const std::vector<Exact>& results)>;
  void run(const Told& told) const;

 private:
  static constexpr std::size_t most_elements = std::size_t{1} << 26;

  std::vector<StepId> wanted_;
  bool stop_ = false;
  const isa::ProgramImage* image_ = nullptr;
  const exec::MachineMemory* memory_ = nullptr;
  StepId next_ = 1;
  std::size_t at_ = 0;  // in wanted_
  std::size_t elements_ = 0;
  bool open_ = false;  // the last step's results are still to be read
  std::vector<Step> steps_;
};

}  // namespace heddle::app
