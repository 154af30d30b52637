// SPDX-License-Identifier: Apache-2.0
// A table of measurements: CSV with a heading, '#' comments, quoted fields, and a place for every complaint.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/error.hpp"

namespace heddle::validate {

class Table;

struct Cell {
  std::string text;
  std::uint32_t column = 0;  // where it begins, 1-based
};

// One line of a table. Every accessor throws bad_input (HDL-VAL-05..09) with the cell's place.
class Row {
 public:
  Row(const Table& table, std::uint32_t line, std::vector<Cell> cells)
      : table_(&table), line_(line), cells_(std::move(cells)) {}

  const Table& table() const { return *table_; }
  std::uint32_t line() const { return line_; }

  const std::string& text(std::string_view column) const;  // may be empty
  // A whole number in [least, most].
  std::int64_t integer(std::string_view column, std::int64_t least = 1, std::int64_t most = 1 << 24) const;
  // A finite decimal number, not negative unless `least` says so.
  double number(std::string_view column, double least = 0) const;
  double positive(std::string_view column) const;  // a number above zero: what an error can be a part of

  SourceLocation place(std::string_view column) const;  // of the cell
  SourceLocation place() const;                         // of the row

 private:
  const Cell& cell(std::string_view column) const;
  const Table* table_;
  std::uint32_t line_;
  std::vector<Cell> cells_;
};

// Rows point to their table, so it neither moves nor is copied.
class Table {
 public:
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const std::string& path() const { return path_; }
  std::string stem() const;                                               // "tpu_v6e_gemm" of "x/tpu_v6e_gemm.csv"
  const std::vector<std::string>& comments() const { return comments_; }  // the '#' lines without '#', in order
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<Row>& rows() const { return rows_; }
  bool has(std::string_view column) const;
  SourceLocation place(std::string_view column) const;  // in the heading

  // Throws HDL-VAL-04 with the place unless each of `needed` is a column and each column is in `needed` or `known`.
  void require_columns(const std::vector<std::string_view>& needed, const std::vector<std::string_view>& known) const;

 private:
  friend std::unique_ptr<const Table> parse_table(std::string_view text, const std::string& path);
  Table() = default;
  std::string path_;
  std::vector<std::string> comments_;
  std::vector<std::string> columns_;
  std::uint32_t heading_line_ = 0;
  std::vector<std::uint32_t> heading_columns_;
  std::vector<Row> rows_;
};

// Throws bad_input: unreadable file (HDL-VAL-01), broken quotes or a ragged row (-02), no heading, no rows, a column
// without a name or named twice (-03).
std::unique_ptr<const Table> read_table(const std::string& path);
std::unique_ptr<const Table> parse_table(std::string_view text, const std::string& path);

}  // namespace heddle::validate
