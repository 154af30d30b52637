// SPDX-License-Identifier: Apache-2.0
// What a run counted: every number with a stable name, its unit and one line of description. All are monotone.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::trace {

struct Counter {
  std::string name;  // "core0.mxu0.busy"
  std::string unit;  // "cycles", "bytes", "instructions", "fs", "packets", ...
  std::string description;
  std::uint64_t value = 0;
};

class Counters {
 public:
  void add(std::string name, std::string unit, std::string description, std::uint64_t value) {
    rows_.push_back({std::move(name), std::move(unit), std::move(description), value});
  }
  const std::vector<Counter>& rows() const { return rows_; }
  // The value of a name; 0 when there is none.
  std::uint64_t value(std::string_view name) const {
    for (const Counter& c : rows_)
      if (c.name == name) return c.value;
    return 0;
  }

 private:
  std::vector<Counter> rows_;
};

}  // namespace heddle::trace
