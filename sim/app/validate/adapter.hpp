// SPDX-License-Identifier: Apache-2.0
// How the rows of a table become runs of the simulator. An adapter knows one family of rows; its .cpp defines one
// Adapter at namespace scope, and heddle validate finds it. Adding one is one file and one line of CMake.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/app/validate/measurement.hpp"
#include "sim/app/validate/table.hpp"

namespace heddle::validate {

// What the command line says about chips.
struct ChipChoice {
  std::string chip;              // --chip; empty: not given
  std::vector<std::string> set;  // --set, as they were given

  // Which chip a row runs on: --chip; else `own`, a preset that the row itself names; else the preset that the table's
  // file name names (tpu_v6e_gemm.csv: tpu-v6e, the longest that fits). Throws HDL-VAL-10 if there is none.
  std::string chip_for(const Table& table, std::string_view own = {}) const;
  // A row's own overrides first, the user's last: the user's win.
  std::vector<std::string> overrides(std::vector<std::string> own = {}) const;
};

// One thing to run.
struct Case {
  std::string label;                   // "m=1 k=768 n=2304": names the row in reports
  std::string group;                   // "gemm": rows of one group also get figures of their own
  std::string chip;                    // a preset or a file; empty where no chip is simulated
  std::vector<std::string> overrides;  // of that chip
  std::string machine;                 // what ran, where that is no chip: "HBM2, 8 channels"
  SourceLocation place;                // of the row
  // Runs the machine and gives at least one measurement. It is called in a process of its own, forked before any
  // simulator exists, so it may build one, and what it changes is lost. It may throw heddle::Error.
  std::function<std::vector<Measurement>()> run;
};

// Throws what load_chip() throws for the first case whose chip cannot be loaded: once, before hours of rows.
void check_chips(const std::vector<Case>& cases);

// How well an adapter and a row or table go together. `general` gives way to `exact`; two of the same are our bug.
enum class Fit { none, general, exact };

class Adapter {
 public:
  // An adapter of single rows: `fit` looks at a row (and at row.table()), `make` builds its run. `make` reads every
  // cell that it needs and throws bad_input with the cell's place; it should call table().require_columns().
  using RowFit = std::function<Fit(const Row&)>;
  using MakeCase = std::function<Case(const Row&, const ChipChoice&)>;
  Adapter(std::string name, std::string rows, RowFit fit, MakeCase make);

  // An adapter of whole tables, for tables whose rows are not runs.
  using TableFit = std::function<Fit(const Table&)>;
  using MakeCases = std::function<std::vector<Case>(const Table&, const ChipChoice&)>;
  Adapter(std::string name, std::string rows, TableFit fit, MakeCases make);

  const std::string& name() const { return name_; }
  const std::string& rows() const { return rows_; }  // one phrase on what it takes, for errors: "kernel,... rows"

 private:
  friend std::vector<Case> make_cases(const Table& table, const ChipChoice& choice);
  std::string name_;
  std::string rows_;
  RowFit row_fit_;
  MakeCase make_row_;
  TableFit table_fit_;
  MakeCases make_table_;
};

// Every row of a table as a Case, in order. Throws HDL-VAL-11 for a row that no adapter knows, naming it.
std::vector<Case> make_cases(const Table& table, const ChipChoice& choice);

}  // namespace heddle::validate
