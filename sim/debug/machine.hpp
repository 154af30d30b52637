// SPDX-License-Identifier: Apache-2.0
// A machine in time and a debugger, as they see each other.
#pragma once
#include <limits>

#include "isa/base/error.hpp"
#include "isa/base/strong.hpp"
#include "sim/config/chip_spec.hpp"
#include "sim/control/watch.hpp"
#include "sim/exec/machine_memory.hpp"

namespace heddle::debug {

// What a debugger may do to a machine: look.
class IMachine {
 public:
  virtual ~IMachine() = default;
  virtual const config::ChipSpec& chip() const = 0;
  virtual const exec::MachineMemory& memory() const = 0;
  virtual bool computes_values() const = 0;
  // Until memory() holds what the instructions left there that started up to this cycle. Throws the first error among
  // the values. Returns the cycle up to which it holds them: later only where control needed values ahead of time.
  virtual std::int64_t sync_values(std::int64_t cycle) = 0;
};

inline constexpr TimeFs never{std::numeric_limits<std::int64_t>::max()};

class IStopper {
 public:
  virtual ~IStopper() = default;
  virtual void opened(IMachine& machine) = 0;
  virtual void closed() = 0;
  // Everything up to `now` has happened, and nothing that is not known yet happens before `next` (`never`: nothing
  // happens any more). The machine stands until this returns. What it throws ends the launch.
  virtual void time_passes(TimeFs now, TimeFs next) = 0;
  // The launch ends with this error.
  virtual void failed(const Error& error) = 0;
};

// The stopper of machines that are opened while this object lives; one at a time.
using InstalledStopper = control::Installed<IStopper>;

}  // namespace heddle::debug
