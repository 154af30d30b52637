// SPDX-License-Identifier: Apache-2.0
// What the checkers have found in the launches of a run: each pair of places once, with how often, and what the
// program's author allowed (isa::Allow). Finding something stops nothing and changes nothing.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "isa/base/error.hpp"
#include "isa/image/image.hpp"

namespace heddle::check {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// One of the two places of a finding: an instruction, or where a tile was declared.
struct End {
  std::string agent;  // "vpu0", "core1.sequencer"
  std::string does;   // "reads", "writes", "waits"
  std::optional<std::uint32_t> instruction;
  std::string text;  // of the instruction, or of the tile; empty: too long ago to be named
  std::string file;
  std::uint32_t line = 0;
  std::string operand;  // "the source, fp32 [4, 64] from 0x0, element [0, 0]"; may be empty
};

struct Finding {
  std::string id;                      // "HDL-RACE-01"
  std::string program;                 // the image's name
  End first, second;                   // as this run saw them
  std::string what;                    // "a race on spm bytes [0x0, 0x400) at cycle 2083: nothing orders"
  std::string memory;                  // "spm", "spm of core 1"; of a semaphore "s3"
  std::vector<ByteRange> ranges;       // of the first time, at most most_ranges of them
  std::uint64_t bytes = 0;             // of the first time, all
  std::int64_t cycle = -1;             // of the first time; below 0: no time exists
  std::string missing;                 // what would mend it, as far as the two places show it
  std::uint64_t count = 1;             // of the second instruction's executions
  std::optional<std::size_t> allowed;  // by which of the suppressions
};

struct Suppression {
  std::string id, reason, program, file;
  std::uint32_t line = 0;      // 0: unknown
  std::uint64_t findings = 0;  // pairs
  std::uint64_t count = 0;     // times
};

// "[0x0, 0x40) [0x100, 0x140) ... (512 bytes in all)"
std::string text_of(const std::vector<ByteRange>& ranges, std::uint64_t bytes);

class Findings {
 public:
  static constexpr std::size_t most = 100;  // pairs that are kept, and as many suppressed ones; further ones: the times
  static constexpr std::size_t most_ranges = 8;

  // The instructions of one program that a finding is known by, and the hazard.
  struct Pair {
    const char* id = nullptr;
    std::optional<std::uint32_t> first, second;
  };

  // Findings that follow are of this program. Its allowed hazards become suppressions, used or not.
  void begin_launch(const isa::ProgramImage& image);
  // Counts the pair once more; true where it was not known and there is room: then add() follows.
  bool is_new(const Pair& pair);
  void add(const Pair& pair, Finding finding);

  // Pairs that nothing allows, by place and then identifier: the same for every order in which they were found.
  std::vector<const Finding*> failing() const;
  // All, in the same order.
  std::vector<const Finding*> all() const;
  const std::vector<Suppression>& suppressions() const { return suppressions_; }
  std::uint64_t dropped() const { return dropped_; }    // times of the pairs past `most`
  bool looked_on() const { return image_ != nullptr; }  // at some launch
  bool failed() const { return dropped_ != 0 || failing_ != 0; }
  void clear() { *this = {}; }

 private:
  using Key = std::tuple<std::string, std::size_t, std::string, std::uint64_t, std::uint64_t>;
  Key key_of(const Pair& pair) const;
  std::optional<std::size_t> allowed_by(const Pair& pair) const;  // number of the suppression

  const isa::ProgramImage* image_ = nullptr;
  std::vector<std::size_t> suppression_of_;  // by the image's allows
  std::map<Key, Finding> found_;
  std::vector<Suppression> suppressions_;
  std::uint64_t dropped_ = 0;
  std::size_t failing_ = 0, suppressed_ = 0;  // of found_
};

// What it is, and the two ends on lines of their own.
std::string text_of(const Finding& finding);
// "FILE:LINE: ID: " and the text of each of the first `most`, and a line with what is left out.
std::string text_of(const std::vector<const Finding*>& findings, std::uint64_t dropped, std::size_t most);
// A line for each: "  2 suppressed (14 times)   HDL-RACE-01, k.s:5: reason"; empty without any.
std::string text_of(const std::vector<Suppression>& suppressions);

// The findings as one error, of kind program and placed at the first. There is at least one that fails.
Error as_error(const Findings& findings);
// The error with which a launch ended, and what was found before it.
Error with_findings(const Error& error, const Findings& findings);

// Where the devices that are opened while this object lives put what they find, one at a time; without one a device
// fails the launch in which it found something.
class Installed {
 public:
  explicit Installed(Findings* findings);
  ~Installed();
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;
  static Findings* get();  // null: none
};

}  // namespace heddle::check
