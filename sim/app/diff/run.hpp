// SPDX-License-Identifier: Apache-2.0
// What a result says, as far as two of them can be compared. Times are cycles of the run's own core clock.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::diff {

// One row of the stall account, whatever semaphore it was and whoever posted: cores and engines of a kind are summed.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::string mnemonic, unit, reason;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Scope {
  std::string program, path;  // "llama decode", "layer/rope"
  friend auto operator<=>(const Scope&, const Scope&) = default;
};
struct ScopeCycles {
  double passes = 0;
  double inside = 0;                                         // of core 0's sequencer
  std::map<std::pair<std::string, std::string>, double> by;  // {unit, reason}
};

struct Profile {
  double period_fs = 0;
  std::map<std::pair<std::string, std::string>, double> engines;  // {engine, reason}: mean over the cores that have it
  std::map<Place, double> places;
  std::map<Scope, ScopeCycles> scopes;
  std::map<Scope, double> scope_bytes;                      // of HBM, where the result has a roofline
  std::map<std::string, std::vector<std::string>> sources;  // by file: its lines, where the result has them
};

enum class Quantity { cycles, nanoseconds, bytes, count };
struct Total {
  std::string name;
  Quantity quantity{};
  std::optional<double> value;  // absent in the values mode, which has no clock
};

struct Run {
  std::string file, command, chip, mode;
  // What was run, by the result's key: kernel, dtype, shape, model, ...
  std::map<std::string, std::string> what;
  std::vector<Total> totals;  // "cycles" is the first
  std::optional<Profile> profile;

  std::optional<double> cycles() const { return totals.front().value; }
  std::string title() const;  // "gemm bf16 m=64,k=64,n=64 on edge, timing mode"
};

// Throws bad_input: HDL-RES-* (result_file.hpp) for a damaged result.
Run read_run(const std::string& file);

}  // namespace heddle::diff
