// SPDX-License-Identifier: Apache-2.0
// Runs cases side by side, each in a process of its own (workers.hpp).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/app/validate/adapter.hpp"
#include "sim/app/workers.hpp"

namespace heddle::validate {

struct CaseFailure {
  ErrorKind kind = ErrorKind::internal;  // internal: also a crash and a run past its time
  std::string text;                      // "table.csv:12: HDL-...: what went wrong"
};

struct CaseOutcome {
  std::vector<Measurement> measurements;  // empty after a failure
  std::optional<CaseFailure> failure;
  double host_seconds = 0;
};

// One outcome a case, in the cases' order whatever order they end in. Must be called before this process builds a
// simulator or starts a thread. `finished` hears how many cases are done.
std::vector<CaseOutcome> run_cases(const std::vector<Case>& cases, const app::WorkerLimits& limits,
                                   const std::function<void(std::size_t)>& finished);

}  // namespace heddle::validate
