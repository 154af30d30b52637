// SPDX-License-Identifier: Apache-2.0
// Jobs side by side, each in a process of its own: SystemC's global context holds one simulator a process, and a run
// that crashes or never ends must not take the others with it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

struct WorkerLimits {
  unsigned jobs = 0;          // processes at once; 0: one a host core
  double job_seconds = 1800;  // of host time, after which a job is stopped
};

struct WorkerAnswer {
  std::string text;                    // what the job returned
  std::optional<std::string> failure;  // "HDL-APP-40: ..." where it returned nothing: a crash, past its time
  double host_seconds = 0;
};

// Calls job(0) to job(count - 1), each in a forked process whose stdout is stderr, and collects what they return, in
// this order. What a job throws is its own business: one that lets an exception out counts as crashed. Must be called
// before this process builds a simulator or starts a thread. `finished` hears how many jobs are done.
// Throws HDL-APP-41 (unsupported) where the host has no process or pipe left.
std::vector<WorkerAnswer> run_in_workers(std::size_t count, const WorkerLimits& limits,
                                         const std::function<std::string(std::size_t)>& job,
                                         const std::function<void(std::size_t)>& finished);

}  // namespace heddle::app
