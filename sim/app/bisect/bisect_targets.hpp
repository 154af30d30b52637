// SPDX-License-Identifier: Apache-2.0
// heddle bench KERNEL --bisect --compare sim,rtl: the first instruction that two targets disagree about, bit for bit.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "kernels/harness/run_case.hpp"
#include "sim/app/bisect/divergence.hpp"

namespace heddle::app {

struct TargetDivergence {
  Site site;             // as it ran on the first target
  bool computed = true;  // from the same operands; false: what it read was different already
  std::string element;   // "[3, 17] of its result"
  double first = 0, second = 0;
};

struct TargetBisection {
  std::string kernel, shape, chip, first, second;  // the last two: targets
  DType dtype = DType::fp32;
  std::uint64_t instructions = 0;  // that were held against each other
  std::optional<TargetDivergence> divergence;

  std::string text() const;
  nlohmann::json json() const;
};

struct BisectTarget {
  std::string name;
  const hdl_api* api = nullptr;
  sdk::OpenOptions options;
};

// Runs the kernel once on each, and where they differ once more on each. Instructions are the same if they are the
// same issue of the same core; what only one target tells of (the arrays in RTL compute by themselves) shows in the
// operands of the next.
TargetBisection bisect_targets(const BisectTarget& first, const BisectTarget& second, const kernels::KernelDef& kernel,
                               const kernels::Shape& shape, DType dtype, std::uint64_t seed);

}  // namespace heddle::app
