// SPDX-License-Identifier: Apache-2.0
// One run of a subject, with or without jitter, and how its memories differ from those of the run without.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/abi/device.h"
#include "isa/base/error.hpp"
#include "sim/app/order/subject.hpp"
#include "sim/config/chip_spec.hpp"

namespace heddle::app {

// Bytes that forked processes share, zero until written, committed page by page.
class SharedBytes {
 public:
  explicit SharedBytes(std::size_t bytes);
  ~SharedBytes();
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;
  std::uint8_t* data() const { return data_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_;
};

// What is compared: a buffer, or a memory of a core.
struct Range {
  std::string name;  // "c", "argument 1", "spm of core 0"
  std::size_t bytes = 0;
  std::optional<DType> dtype{};
  std::size_t operand = 0;            // whose buffer it is; unless it is
  std::optional<isa::Space> space{};  // this memory
  std::uint32_t core = 0;             // of this core
  std::size_t at = 0;                 // in the shared copy
};

struct RangeDifference {
  std::size_t range = 0;        // number
  std::size_t first = 0;        // byte that differs
  std::size_t count = 0;        // bytes that do
  std::string there{}, here{};  // what stands there: an element's value, or a byte's
};

// What the checkers said. One hazard has one key in every run, whichever of its two instructions came first.
struct TrialHazard {
  std::string id, key, text;
};

struct Trial {
  std::optional<std::uint64_t> seed;    // none: without jitter
  std::optional<std::uint64_t> cycles;  // none in values mode, and where it did not end
  std::vector<TrialHazard> hazards;     // with any, the values are those of a second run without checkers
  std::string ended;                    // the identifier of the error that ended that, too; no values then
  std::vector<RangeDifference> differences;
  // No run at all: bad input, or not supported.
  std::optional<ErrorKind> refused;
  std::string refusal;
};

class Trials {
 public:
  // The subject outlives it.
  Trials(const Subject& subject, std::string chip, std::vector<std::string> overrides, hdl_mode mode,
         std::int64_t most_cycles);

  // All runs: the one without jitter, then one a seed from 1 on, `jobs` at once (0: one a host core), each in a process
  // of its own. Call it before this process builds a simulator with a clock. `finished` hears how many are done.
  std::vector<Trial> run(std::uint64_t seeds, unsigned jobs, const std::function<void(std::size_t)>& finished);

  const std::vector<Range>& ranges() const { return ranges_; }
  const config::ChipSpec& chip() const { return chip_; }

 private:
  Trial try_one(std::optional<std::uint64_t> seed) const;
  void launch(const std::vector<std::string>& overrides, Trial& trial) const;

  const Subject& subject_;
  std::string chip_name_;
  std::vector<std::string> overrides_;
  hdl_mode mode_;
  std::int64_t most_cycles_;
  config::ChipSpec chip_;
  std::vector<Range> ranges_;
  std::unique_ptr<SharedBytes> plain_;  // what the run without jitter left in the ranges
};

}  // namespace heddle::app
