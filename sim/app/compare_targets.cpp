// SPDX-License-Identifier: Apache-2.0
#include "sim/app/compare_targets.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/app/output.hpp"
#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

// "c[17] is 1.5 there and 1.25 here", or nothing.
std::string first_difference(const kernels::CaseResult& there, const kernels::CaseResult& here) {
  for (std::size_t t = 0; t < there.outputs.size(); ++t) {
    const kernels::HostTensor& a = there.outputs[t];
    const kernels::HostTensor& b = here.outputs[t];
    const auto [x, y] = std::mismatch(a.bytes().begin(), a.bytes().end(), b.bytes().begin());
    if (x == a.bytes().end()) continue;
    const std::int64_t i = (x - a.bytes().begin()) * 8 / bits(a.spec().dtype);
    return fmt::format("{}[{}] is {}, there {}", a.spec().name, i, b.get(i), a.get(i));
  }
  return {};
}

double worst(const kernels::CaseResult& r) {
  double out = 0;
  for (const kernels::TensorError& e : r.errors) out = std::max(out, e.difference.max_rel);
  return out;
}

}  // namespace

Comparison::Comparison(std::vector<TargetRun> runs) : runs_(std::move(runs)) {
  const TargetRun& first = runs_.front();
  // Cycles are held against the first target that has any.
  const auto clocked =
      std::find_if(runs_.begin(), runs_.end(), [](const TargetRun& r) { return r.result.cycles != 0; });
  for (const TargetRun& run : runs_) {
    Row row;
    row.first_difference = first_difference(first.result, run.result);
    row.same_values = row.first_difference.empty();
    if (run.result.cycles != 0)
      row.more_cycles =
          static_cast<std::int64_t>(run.result.cycles) - static_cast<std::int64_t>(clocked->result.cycles);
    rows_.push_back(std::move(row));
  }
}

bool Comparison::same_values() const {
  return std::all_of(rows_.begin(), rows_.end(), [](const Row& r) { return r.same_values; });
}

bool Comparison::same_cycles() const {
  return std::all_of(rows_.begin(), rows_.end(), [](const Row& r) { return r.more_cycles == 0; });
}

bool Comparison::correct() const {
  return std::all_of(runs_.begin(), runs_.end(), [](const TargetRun& r) { return r.result.correct(); });
}

std::string Comparison::text() const {
  const kernels::CaseResult& first = runs_.front().result;
  std::string out = fmt::format("{} {} {} on {}\n  {:<10} {:>14} {:>8}   {:<10} {}\n", first.kernel, name(first.dtype),
                                first.shape, first.chip, "target", "cycles", "", "error", "values");
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const kernels::CaseResult& r = runs_[i].result;
    const std::string values = i == 0                 ? ""
                               : rows_[i].same_values ? "the same bits"
                                                      : "DIFFERENT: " + rows_[i].first_difference;
    std::string line =
        fmt::format("  {:<10} {:>14} {:>8}   {:<10} {}", runs_[i].target.name, r.cycles == 0 ? "-" : grouped(r.cycles),
                    rows_[i].more_cycles == 0 ? "" : fmt::format("{:+}", rows_[i].more_cycles),
                    fmt::format("{:.2e}", worst(r)), values);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

nlohmann::json Comparison::json() const {
  const kernels::CaseResult& first = runs_.front().result;
  nlohmann::json json{{"schema", result_schema},      {"command", "bench"},         {"kernel", first.kernel},
                      {"chip", first.chip},           {"dtype", name(first.dtype)}, {"same_values", same_values()},
                      {"same_cycles", same_cycles()}, {"correct", correct()}};
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const kernels::CaseResult& r = runs_[i].result;
    nlohmann::json row{
        {"target", runs_[i].target.name}, {"mode", name(runs_[i].mode)},         {"cycles", r.cycles},
        {"max_rel_error", worst(r)},      {"same_values", rows_[i].same_values}, {"more_cycles", rows_[i].more_cycles},
        {"host_seconds", r.host_seconds}};
    if (r.values_hash) row["values_hash"] = fmt::format("{:016x}", *r.values_hash);
    if (!rows_[i].same_values) row["first_difference"] = rows_[i].first_difference;
    json["targets"].push_back(std::move(row));
  }
  return json;
}

}  // namespace heddle::app
