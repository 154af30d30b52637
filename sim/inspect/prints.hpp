// SPDX-License-Identifier: Apache-2.0
// What programs print, with the values that program order says.
//
// A view is shown as the last engine instruction that its core issued before the print and that touches it found or
// left it. Those of them that have not started are waited for; an instruction of the core that comes after the print
// and writes to the view is let in only when the elements that it overwrites have been taken. So the values are those
// that a machine would show which ran one instruction at a time, whatever runs ahead of what, and no waits are added.
// What other cores write is shown as far as the core has waited for it.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/control/watch.hpp"
#include "sim/exec/run_observer.hpp"
#include "sim/inspect/tile_snapshot.hpp"

namespace heddle::inspect {

// One print as it is shown.
struct Printed {
  std::uint64_t launch = 0;  // of the device, from 1
  std::uint32_t core = 0;
  std::int64_t cycle = -1;  // at which the sequencer came to it; -1: no time exists
  std::uint32_t pc = 0;     // of the instruction after it
  std::uint64_t order = 0;  // of the launch's prints, as the sequencers came to them
  std::uint64_t run = 0;    // how often the core has come to it in this launch, from 1
  std::string label, file;
  std::uint32_t line = 0;
  std::string nothing;  // why there is no value; empty: there is one
  std::optional<std::int64_t> scalar;
  // Of a tile:
  isa::View view;
  Statistics statistics;
  std::string table;
  std::vector<double> values;  // row-major, where they are asked for in full or few

  std::string text() const;  // complete lines
};

struct PrintOptions {
  std::uint64_t most = 1000;  // that are shown of a run; the others are counted
  bool full = false;          // every element of every tile
};

class Prints final : public control::IPrintSink, public exec::IRunObserver {
 public:
  // `show` is called when a launch has ended, in order of cycle, then core.
  Prints(PrintOptions options, std::function<void(const Printed&)> show);
  ~Prints() override;

  // A device that begins. no_values: why none can be shown, or nothing.
  void opened(const config::ChipSpec& chip, const exec::MachineMemory& memory, std::string no_values);
  // Also after an error: what had its value by then is shown.
  void end_launch();

  // What could not be shown, as a line each; for the end of the run.
  std::vector<std::string> remarks() const;

  void print_scalar(const control::Moment& at, const isa::PrintStep& step, std::int64_t value) override;
  void print_view(const control::Moment& at, const isa::PrintStep& step, const isa::View& view) override;
  void print_nothing(const control::Moment& at, const isa::PrintStep& step, const std::string& why) override;

  void begin_launch(const isa::ProgramImage* image) override { awake_ = image != nullptr && !image->prints.empty(); }
  void issue(const exec::EngineOp& op) override;
  void start(const exec::EngineOp& op, std::int64_t cycle) override;
  void sequencer_wait(std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t) override {}
  void sequencer_post(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t) override {}
  void fence(std::uint32_t) override {}
  void sequencer_access(std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, bool) override {}

 private:
  struct Open {  // waits for instructions before it
    Printed printed;
    TileSnapshot tile;
    std::uint64_t sequence = 0;  // instructions from here on come after it
    std::uint64_t left = 0;      // those before it that have not started
    bool full = false;
  };
  bool admit(const control::Moment& at, const isa::PrintStep& step, Printed& printed);
  void close(Open& open);

  PrintOptions options_;
  std::function<void(const Printed&)> show_;
  const config::ChipSpec* chip_ = nullptr;
  const exec::MachineMemory* memory_ = nullptr;
  exec::ValueStream* stream_ = nullptr;
  std::string no_values_;
  bool awake_ = false;  // the launch's program prints
  std::uint64_t launch_ = 0;
  std::map<std::pair<std::uint32_t, const isa::PrintStep*>, std::uint64_t> runs_;  // of this launch
  // By core: instructions that were issued and have not started, with what they touch.
  std::vector<std::deque<exec::EngineOp>> queued_;
  std::vector<std::unique_ptr<Open>> open_;
  std::vector<Printed> done_;  // of this launch
  std::uint64_t admitted_ = 0, refused_ = 0, without_values_ = 0, lost_ = 0;
};

// Makes it the one that programs print to, while this object lives.
class InstalledPrints {
 public:
  explicit InstalledPrints(Prints* prints) : sink_(prints), prints_(prints) {}
  static Prints* get() { return control::Installed<Prints>::get(); }

 private:
  control::Installed<control::IPrintSink> sink_;
  control::Installed<Prints> prints_;
};

}  // namespace heddle::inspect
