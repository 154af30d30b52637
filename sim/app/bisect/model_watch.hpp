// SPDX-License-Identifier: Apache-2.0
// Looks on while a model runs, and holds each operation of each layer of each launch against the model's mathematics
// (model_ops.hpp) as soon as the next one begins. At the first that is off it ends the run.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/app/bisect/divergence.hpp"
#include "sim/app/bisect/model_ops.hpp"
#include "sim/app/bisect/run_log.hpp"

namespace heddle::app {

struct ModelDivergence {
  std::int64_t launch = 0;  // from 1
  std::string program;      // "llama prefill"
  std::int64_t position = 0, tokens = 0;
  std::int64_t layer = -1;
  std::string operation;
  std::string kernel;               // the scope's name
  std::int64_t number = 0, of = 0;  // of the launch's operations, from 1
  Divergence divergence;
  std::vector<StepId> slice;
  std::vector<PlacedTensor> tensors;
};

class ModelWatch final : public exec::IRunWatch {
 public:
  explicit ModelWatch(std::optional<double> tolerance) : tolerance_(tolerance) {}
  // Before the first launch.
  void set_layout(const models::Layout& layout) { layout_ = &layout; }

  void opened(const config::ChipSpec& chip, const exec::MachineMemory& memory) override;
  // Throws HDL-INT-01 for a program that is not the model's step.
  void begin_launch(const isa::ProgramImage* image) override;
  void issue(const exec::EngineOp& op) override;
  void start(const exec::EngineOp& op, std::int64_t cycle) override;
  // After the last launch, while the device is there.
  void finish();

  std::optional<ModelDivergence>& found() { return found_; }
  RunLog& log() { return log_; }
  std::int64_t launches() const { return launch_; }
  std::int64_t operations() const { return operations_; }

 private:
  struct Place {
    std::int64_t layer = -1;
    const ModelOp* op = nullptr;
  };
  void find_kernels(const isa::ProgramImage& image);
  void read_arguments();
  std::int64_t count() const;        // of the launch's operations
  Place place(std::int64_t number);  // of operation `number`, from 0
  std::int64_t next(std::int64_t from, std::int64_t kind) const;
  void begin(std::int64_t number);
  void close();

  std::optional<double> tolerance_;
  const models::Layout* layout_ = nullptr;
  const exec::MachineMemory* memory_ = nullptr;
  RunLog log_;
  const isa::ProgramImage* image_ = nullptr;
  bool decode_ = false;
  bool have_arguments_ = false;
  StepWords arguments_{};
  StepOps ops_;  // with the layer's that they are made for
  std::int64_t ops_layer_ = -1;
  std::vector<std::int64_t> kind_of_;   // by instruction: which of before, layer, after, in a row; -1: none
  std::vector<std::string> kernel_of_;  // by kind
  std::vector<std::int64_t> core_at_;   // by core: the operation that it issues
  std::unordered_map<std::uint64_t, std::int64_t> issued_;  // by core and sequence: the operation
  std::int64_t current_ = -1;
  std::vector<Expected> expected_;
  std::int64_t launch_ = 0, operations_ = 0;
  std::optional<ModelDivergence> found_;
};

}  // namespace heddle::app
