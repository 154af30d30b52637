// SPDX-License-Identifier: Apache-2.0
// What each scope of each program asked of the machine: operations and bytes of memory, and over what time.
//
// Operations are multiply-accumulates of the MXU, by the type of the streamed operand, and elements that the VPU
// handled: one for each element of a result, and of a reduction, top-k or argmax for each element of the source. A
// fused instruction counts once an element, as it takes one pass. A byte of memory belongs to the scope of the DMA
// instruction that asked for it, as the memory counts it: whole packets where the engine's are aligned.
#pragma once
#include <array>
#include <map>

#include "sim/trace/recorder.hpp"
#include "sim/trace/scope_spans.hpp"

namespace heddle::trace {

struct Work {
  std::array<std::uint64_t, dtype_count> macs{};
  std::uint64_t vpu_elements = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;

  Work& operator+=(const Work& other);
  std::uint64_t all_macs() const;
  std::uint64_t bytes() const { return bytes_read + bytes_written; }
  // A multiply-accumulate is two.
  std::uint64_t operations() const { return 2 * all_macs() + vpu_elements; }
};

// Elements that an instruction of the VPU handles.
std::uint64_t vpu_elements(const exec::EngineOp& op);

// Highest rates of the whole chip.
struct Rates {
  std::array<double, dtype_count> macs{};  // a second; 0: the type is not supported
  double vpu_elements = 0;                 // a second, at the fastest class of operations
};

class WorkCounts final : public IListener {
 public:
  using ScopeId = ScopeSpans::ScopeId;
  explicit WorkCounts(const Programs& programs) : programs_(programs) {}
  // Launches of other entries are not counted.
  void count_only(std::string entry) { entry_ = std::move(entry); }

  // Of instructions in a scope and in no inner one; those in no scope at all under ProgramInfo::no_scope.
  const std::map<ScopeId, Work>& own() const { return own_; }
  // See ScopeSpans.
  TimeFs time(const ScopeId& id) const { return spans_.time(id); }
  const Rates& rates() const { return rates_; }
  std::uint64_t launches() const { return launches_; }

  void opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
              const memory::MemoryStats& memory) override;
  void launch_began(std::uint32_t program, std::string_view entry, TimeFs launch, TimeFs start) override;
  void launch_ended(TimeFs end) override;
  void executed(std::uint32_t, std::uint32_t, TimeFs) override {}
  void stalled(std::uint32_t, std::uint32_t, SequencerStall, std::uint32_t, TimeFs, TimeFs, const Cause*) override {}
  void issued(Agent agent, const exec::EngineOp& op, TimeFs time) override;
  void ran(const Record& record) override;
  void memory_asked(Agent agent, const exec::EngineOp& op, bool write, std::int64_t bytes) override;

 private:
  Work& own_of(std::uint32_t pc) { return own_[{program_, programs_[program_].scope(pc)}]; }

  const Programs& programs_;
  std::string entry_;      // empty: all
  bool counting_ = false;  // this launch
  std::uint32_t program_ = 0;
  std::uint64_t launches_ = 0;
  Rates rates_;
  std::map<ScopeId, Work> own_;
  ScopeSpans spans_;
};

}  // namespace heddle::trace
