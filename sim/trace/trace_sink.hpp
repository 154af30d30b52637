// SPDX-License-Identifier: Apache-2.0
// A trace format: takes tracks, slices and counter values as they come and keeps none of them.
//
// Contract
// - A process is announced before its tracks, a track before what lies on it. Numbers are the caller's: processes from
//   1, tracks and counters from 1 in one sequence.
// - Slices of one track nest, and come in order of their beginnings.
// - A flow leaves one slice and ends in at most one other, under the same number; either may come first.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "isa/base/strong.hpp"

namespace heddle::trace {

struct Arg {
  std::string_view key;
  std::string_view text;  // or, when that is empty,
  std::int64_t number = 0;
};

struct Slice {
  std::uint32_t track = 0;
  TimeFs begin{}, end{};
  std::string_view name;
  std::string_view file;  // of the source; empty: none
  std::uint32_t line = 0;
  std::span<const Arg> args;
  std::span<const std::uint64_t> flows_out, flows_in;
};

class ITraceSink {
 public:
  virtual ~ITraceSink() = default;
  virtual void process(std::uint32_t process, std::string_view name) = 0;
  virtual void track(std::uint32_t track, std::uint32_t process, std::string_view name) = 0;
  virtual void counter(std::uint32_t counter, std::uint32_t process, std::string_view name, std::string_view unit) = 0;
  virtual void slice(const Slice& slice) = 0;
  // A slice whose end is not known yet.
  virtual void begin(std::uint32_t track, TimeFs time, std::string_view name) = 0;
  virtual void end(std::uint32_t track, TimeFs time) = 0;
  virtual void value(std::uint32_t counter, std::uint32_t process, std::string_view name, TimeFs time,
                     double value) = 0;
  virtual void finish() = 0;
};

// By the ending of the path: .pftrace (Perfetto) or .json (Chrome). Throws HDL-TRC-01 (bad_input) for another one,
// HDL-TRC-02 when the file cannot be written.
std::unique_ptr<ITraceSink> make_trace_sink(const std::string& path);
// HDL-TRC-01 alone, before anything is done.
void require_trace_name(const std::string& path);

}  // namespace heddle::trace
