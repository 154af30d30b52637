// SPDX-License-Identifier: Apache-2.0
// Who looks on while sequencers run: takes what the program prints, sees each instruction before it is executed. It
// changes nothing; a run that nobody watches pays nothing.
#pragma once
#include <cstdint>
#include <string>

#include "isa/image/image.hpp"

namespace heddle::exec {
class ValueStream;
}

namespace heddle::control {

class Sequencer;

// A place in the run of one core.
struct Moment {
  std::uint32_t core = 0;
  std::uint32_t chip = 0;
  std::uint32_t pc = 0;        // of the instruction that comes next
  std::int64_t cycle = -1;     // of the sequencer; -1: no time exists
  std::uint64_t sequence = 0;  // issue number of the core's next engine instruction
  exec::ValueStream* stream = nullptr;
  const isa::ProgramImage* image = nullptr;
};

class IPrintSink {
 public:
  virtual ~IPrintSink() = default;
  virtual void print_scalar(const Moment& at, const isa::PrintStep& step, std::int64_t value) = 0;
  // The view may lie anywhere, its memory included.
  virtual void print_view(const Moment& at, const isa::PrintStep& step, const isa::View& view) = 0;
  // Nothing can be shown, for the reason given.
  virtual void print_nothing(const Moment& at, const isa::PrintStep& step, const std::string& why) = 0;
};

class IInstructionWatch {
 public:
  virtual ~IInstructionWatch() = default;
  // Control has come to the instruction at `at.pc`, which has not been executed.
  virtual void reached(const Sequencer& sequencer, const Moment& at) = 0;
};

// Of sequencers that are made while this object lives; one of each kind at a time.
template <class Watcher>
class Installed {
 public:
  explicit Installed(Watcher* watcher) { installed_ = watcher; }
  ~Installed() { installed_ = nullptr; }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;
  static Watcher* get() { return installed_; }  // null: none

 private:
  static inline Watcher* installed_ = nullptr;
};

}  // namespace heddle::control
