// SPDX-License-Identifier: Apache-2.0
// Rows that name a kernel and its sizes: kernel,<sizes>,dtype,measured_ns or measured_cycles. The kernel is one of
// heddle bench --list, and a column is one of its sizes; the names below are those that published tables use.
#include <algorithm>
#include <array>
#include <optional>

#include "isa/base/nearest.hpp"
#include "sim/app/validate/adapter.hpp"
#include "sim/app/validate/kernel_run.hpp"

namespace heddle::validate {
namespace {

using kernels::KernelDef;
using kernels::Shape;

// A published name of a kernel, or of one of its sizes (column), and ours. No entry: the same name.
struct Alias {
  std::string_view theirs, ours;
};
struct KernelAlias {
  std::string_view theirs, ours;
  std::array<Alias, 2> sizes;
};
constexpr std::array<KernelAlias, 2> aliases{{{"attention_decode", "paged_attention", {{{"q_len", "tokens"}}}},
                                              {"attention_prefill_paged", "paged_attention", {{{"q_len", "tokens"}}}}}};

// Columns that say where numbers come from and change nothing in the run.
constexpr std::array<std::string_view, 3> descriptive{"name", "source", "comment"};
constexpr std::array<std::string_view, 4> not_sizes{"kernel", "dtype", "measured_ns", "measured_cycles"};

const KernelAlias* alias_of(std::string_view kernel) {
  const auto found =
      std::find_if(aliases.begin(), aliases.end(), [&](const KernelAlias& a) { return a.theirs == kernel; });
  return found == aliases.end() ? nullptr : &*found;
}

template <class List, class Item>
bool is_in(const List& list, const Item& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

const KernelDef& kernel_of(const Row& row) {
  const std::string& named = row.text("kernel");
  const KernelAlias* alias = alias_of(named);
  try {
    return kernels::find_kernel(alias != nullptr ? alias->ours : std::string_view(named));
  } catch (const Error& e) {
    throw Error(e.kind(), e.id(), e.message(), row.place("kernel"));
  }
}

std::string_view size_of(const KernelAlias* alias, std::string_view column) {
  if (alias != nullptr)
    for (const Alias& a : alias->sizes)
      if (a.theirs == column) return a.ours;
  return column;
}

// The row's sizes, by our names. A column that is no size of its kernel is an error, unless the row leaves it empty.
Shape sizes_of(const Row& row, const KernelDef& kernel) {
  const KernelAlias* alias = alias_of(row.text("kernel"));
  Shape sizes;
  double product = 1;
  for (const std::string& column : row.table().columns()) {
    if (is_in(not_sizes, column) || is_in(descriptive, column)) continue;
    const std::string_view ours = size_of(alias, column);
    const auto param =
        std::find_if(kernel.params.begin(), kernel.params.end(), [&](const auto& p) { return p.name == ours; });
    if (param == kernel.params.end()) {
      if (row.text(column).empty()) continue;
      std::vector<std::string_view> known{not_sizes.begin(), not_sizes.end()};
      for (const kernels::ShapeParam& p : kernel.params) known.push_back(p.name);
      fail_at(row.table().place(column), ErrorKind::bad_input, "HDL-VAL-04",
              "unknown column '{}': it is no size of {}; expected {}{}", column, kernel.name, fmt::join(known, ", "),
              did_you_mean(column, known));
    }
    sizes[std::string(ours)] = row.integer(column, param->least);
    product *= static_cast<double>(std::max<std::int64_t>(sizes[std::string(ours)], 1));
  }
  constexpr double most = 1e17;
  if (product > most)
    fail_at(row.place(), ErrorKind::bad_input, "HDL-VAL-06", "the sizes multiply to {:.1e}; at most {:g} is run",
            product, most);
  return sizes;
}

Case kernel_case(const Row& row, const ChipChoice& choice) {
  const Table& table = row.table();
  const KernelDef& kernel = kernel_of(row);
  const Shape sizes = sizes_of(row, kernel);
  const bool in_cycles = table.has("measured_cycles");
  if (in_cycles == table.has("measured_ns"))
    fail_at(table.place("kernel"), ErrorKind::bad_input, "HDL-VAL-04",
            "the heading needs one of the columns measured_ns and measured_cycles");
  const double measured = row.positive(in_cycles ? "measured_cycles" : "measured_ns");
  const DType dtype = table.has("dtype") ? dtype_of(row, kernel) : kernel.dtypes.front();
  const Shape shape = shape_of(kernel, sizes);

  Case c;
  c.group = row.text("kernel");
  for (const std::string& column : table.columns())
    if (!is_in(not_sizes, column) && !is_in(descriptive, column) && !row.text(column).empty())
      c.label += fmt::format("{}{}={}", c.label.empty() ? "" : " ", column, row.text(column));
  c.label += fmt::format(" {}", name(dtype));
  c.chip = choice.chip_for(table);
  c.overrides = choice.overrides({"software.applies=true"});  // with what the row was measured
  c.place = row.place();
  c.run = [=, &kernel, chip = c.chip, overrides = c.overrides] {
    const kernels::CaseResult r = run_kernel(chip, overrides, kernel, shape, dtype);
    const double simulated = in_cycles ? static_cast<double>(r.cycles) : r.seconds * 1e9;
    return std::vector<Measurement>{{"time", in_cycles ? "cycles" : "ns", measured, simulated}};
  };
  return c;
}

const Adapter kernel_rows(
    "kernel", "a column 'kernel' with one of heddle bench --list",
    [](const Row& row) { return row.table().has("kernel") ? Fit::general : Fit::none; }, kernel_case);

}  // namespace
}  // namespace heddle::validate
