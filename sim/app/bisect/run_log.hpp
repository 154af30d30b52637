// SPDX-License-Identifier: Apache-2.0
// Who wrote each byte of the machine, and whose results each instruction read: the dataflow of a run as it happened,
// races and all. Engine instructions are numbered from 1 in the order in which they took effect.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "isa/image/image.hpp"
#include "sim/exec/dims.hpp"
#include "sim/exec/run_watch.hpp"

namespace heddle::app {

using StepId = std::uint32_t;  // 0: nobody

// An Error with this id ends a run whose watch has seen what it wanted to; nobody is to hear of it.
inline constexpr const char* enough_id = "HDL-APP-32";

class RunLog final : public exec::IRunWatch {
 public:
  struct Step {
    exec::EngineOp op;
    std::int64_t cycle = -1;  // it started; negative: no time exists
    std::size_t first_source = 0, sources = 0;
  };
  // Throws HDL-APP-30 (unsupported) where a run has more instructions than are kept.
  void opened(const config::ChipSpec& chip, const exec::MachineMemory& memory) override;
  void begin_launch(const isa::ProgramImage* image) override;
  void start(const exec::EngineOp& op, std::int64_t cycle) override;

  // Drops what is known of the steps so far; their results count as given from now on.
  void forget();

  StepId end() const { return base_ + static_cast<StepId>(steps_.size()); }
  bool knows(StepId id) const { return id >= base_ && id < end(); }
  const Step& step(StepId id) const { return steps_[id - base_]; }
  // The steps whose results it read, each once.
  std::span<const StepId> sources(StepId id) const;
  // Who wrote this byte last: 0, or a step that may have been forgotten.
  StepId writer(const exec::Place& place, std::uint64_t byte) const;
  // These steps and all that they depend on, as far as they are known, in order.
  std::vector<StepId> slice(std::vector<StepId> from) const;
  std::size_t launch_of(StepId id) const;
  const isa::ProgramImage& image_of(StepId id) const { return *launches_[launch_of(id)].image; }
  const exec::MachineMemory& memory() const { return *memory_; }
  // The device of the run is gone: here is the program of all its launches.
  void use_image(const isa::ProgramImage* image) {
    for (Launch& l : launches_) l.image = image;
  }

 private:
  struct Launch {
    StepId first = 1;
    const isa::ProgramImage* image = nullptr;
  };
  StepId* writers(const exec::Place& place) const;
  void add_source(StepId id);

  const exec::MachineMemory* memory_ = nullptr;
  std::uint32_t mxus_ = 1;
  std::vector<exec::LazyBytes> writers_;  // by memory: a StepId for each byte
  std::vector<StepId> resting_;           // by core and MXU: the load of its tile
  StepId base_ = 1;
  std::vector<Step> steps_;
  std::vector<StepId> sources_;
  std::vector<StepId> seen_by_;  // by step: the last one that was found to read it
  std::vector<Launch> launches_;
};

}  // namespace heddle::app
