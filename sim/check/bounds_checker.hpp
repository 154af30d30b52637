// SPDX-License-Identifier: Apache-2.0
// Operands that leave what the program's author set aside for them, inside the memory though they are: the tile that
// the image names (isa::TileUse), or in HBM the buffer that the host allocated.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "sim/check/findings.hpp"
#include "sim/exec/run_observer.hpp"

namespace heddle::check {

class BoundsChecker final : public exec::IRunObserver {
 public:
  // The allocated buffer of HBM that holds the address, if one does.
  using BufferAt = std::function<std::optional<ByteRange>(std::uint64_t address)>;

  // findings outlives the checker: HDL-BOUND-01 and HDL-BOUND-02 go there. Empty buffer_at: HBM is not looked at.
  BoundsChecker(Findings& findings, std::uint32_t cores, BufferAt buffer_at)
      : findings_(findings), cores_(cores), buffer_at_(std::move(buffer_at)) {}

  void begin_launch(const isa::ProgramImage* image) override { image_ = image; }
  void start(const exec::EngineOp& op, std::int64_t cycle) override;
  void issue(const exec::EngineOp&) override {}
  void sequencer_wait(std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t) override {}
  void sequencer_post(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t) override {}
  void fence(std::uint32_t) override {}
  void sequencer_access(std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, bool) override {}

 private:
  void check_tile(const exec::EngineOp& op, const isa::TileUse& use, std::int64_t cycle);
  void check_buffer(const exec::EngineOp& op, const isa::View& view, std::int64_t cycle);
  Finding finding(const exec::EngineOp& op, const char* id, const isa::View& view, std::int64_t cycle) const;

  Findings& findings_;
  std::uint32_t cores_;
  BufferAt buffer_at_;
  const isa::ProgramImage* image_ = nullptr;
};

}  // namespace heddle::check
