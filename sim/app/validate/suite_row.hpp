// SPDX-License-Identifier: Apache-2.0
// Rows of test,params,expected,unit,tolerance: what an adapter of one family of tests reads.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/app/validate/adapter.hpp"

namespace heddle::validate {

class SuiteRow {
 public:
  // Throws bad_input with the place: columns other than the five, params that are neither words nor NAME=VALUE, an
  // expected value that is no number (or several with '/' between).
  explicit SuiteRow(const Row& row);

  const std::string& test() const { return test_; }                  // "gemmini16/mvin"
  const std::vector<std::string>& words() const { return words_; }   // of params: "WS_stream"
  const std::vector<double>& expected() const { return expected_; }  // "28672/4096" gives two
  const std::string& unit() const { return unit_; }

  // NAME=VALUE of params. Throws HDL-VAL-09 if it is not there, or no whole number in the range.
  std::int64_t size(std::string_view name, std::int64_t least = 1, std::int64_t most = 1 << 24) const;
  const std::string& value(std::string_view name) const;  // as it stands: "5x6x8"
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  // Throws HDL-VAL-09 unless params consist of these words' count and these names (some may be absent).
  void require_params(std::size_t words, const std::vector<std::string_view>& names) const;

  // See parse_tolerance(). Throws HDL-VAL-09 for a text of another form.
  Tolerance tolerance(bool aligned = true, double clock = 0) const;

  // A Case with label (the params), group (the test), place, chip and overrides filled in.
  Case blank_case(const ChipChoice& choice, std::string_view chip, std::vector<std::string> overrides = {}) const;
  const Row& row() const { return row_; }

 private:
  const Row& row_;
  std::string test_;
  std::vector<std::string> words_;
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<double> expected_;
  std::string unit_;
};

// Whether a row is of such a table and its test is `prefix`, or begins with it where that ends in '/'.
Fit suite_fit(const Row& row, std::string_view prefix);

}  // namespace heddle::validate
