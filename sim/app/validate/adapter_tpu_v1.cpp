// SPDX-License-Identifier: Apache-2.0
// The table of TPU v1's applications (Jouppi et al., ISCA 2017, tables 1 and 3): one application a column, one metric a
// row. Each application of fully connected layers becomes one run of `mlp`, and its measured shares of cycles and its
// TOPS are compared.
//
// The paper does not say how large the layers are, so they are reconstructed, all alike, from what the table says:
// - Tiles of weights (256 x 256): as many as the weights fill, or as many as the counters say were shifted in, if that
//   is more (weight_shift % of the cycles that the TOPS imply, 256 cycles each): some matrices fill their tiles badly.
//   Where this is the larger one (LSTM1), the share of weight shifts is no independent check.
// - A layer: the grid of whole tiles, at most twice as long as wide, whose number is nearest to tiles / layers; as
//   many weights as the table says lie in it.
// - Rows: the batch; where the counters saw about twice as many useful operations as TOPS counts (both LSTMs),
//   activations have 16 bits and pass the 8-bit array twice, high bytes and low bytes.
// Convolutions (the CNN columns) are not reconstructed: a line on stderr says that they are not run.
#include <cmath>

#include "sim/app/validate/adapter.hpp"
#include "sim/app/validate/kernel_run.hpp"

namespace heddle::validate {
namespace {

constexpr std::int64_t tile = 256;
constexpr double cells = tile * tile;
constexpr double peak_tops = 92;    // the paper
constexpr double clock_hz = 700e6;  // the paper

using Metrics = std::map<std::string, const Row*>;

double value(const Metrics& metrics, const std::string& metric, const std::string& app) {
  return metrics.at(metric)->text(app).empty() ? 0 : metrics.at(metric)->number(app);
}

struct Application {
  kernels::Shape sizes;   // of mlp
  double operations = 0;  // that TOPS counts, of the run
};

Application reconstruct(const Metrics& metrics, const std::string& app) {
  const auto of = [&](const char* metric) { return value(metrics, metric, app); };
  const double weights = of("weights_M") * 1e6, batch = of("batch"), tops = of("TOPS_measured");
  const double cycles = 2 * weights * batch / (tops * 1e12) * clock_hz;
  const double tiles = std::max(weights / cells, of("weight_shift_pct") / 100 * cycles / tile);
  const double a_layer = tiles / of("layers_FC");
  std::int64_t best_k = 1, best_n = 1;
  for (std::int64_t k = 1; static_cast<double>(k * k) <= 2 * a_layer + 1; ++k)
    for (std::int64_t n = k; n <= 2 * k; ++n)
      if (std::abs(static_cast<double>(k * n) - a_layer) < std::abs(static_cast<double>(best_k * best_n) - a_layer))
        best_k = k, best_n = n;
  const bool two_passes = of("useful_macs_pct_peak") / 100 * peak_tops > 1.5 * tops;
  Application out;
  out.sizes = {{"rows", std::llround(batch) * (two_passes ? 2 : 1)},
               {"k", best_k * tile},
               {"n", best_n * tile},
               {"layers", std::llround(of("layers_FC"))},
               {"vectors", std::llround(of("layers_Vector"))},
               {"tile", tile}};
  const double filled = weights / (tiles * cells);
  out.operations = 2 * batch * of("layers_FC") * static_cast<double>(best_k * best_n) * cells * filled;
  return out;
}

std::vector<Measurement> run(const std::string& chip, const std::vector<std::string>& overrides,
                             const kernels::KernelDef& kernel, const Application& app,
                             const std::map<std::string, double>& measured) {
  const kernels::CaseResult r = run_kernel(chip, overrides, kernel, shape_of(kernel, app.sizes), DType::int8);
  const auto share = [&](const char* counter) {
    return 100 * static_cast<double>(r.counters[counter]) / static_cast<double>(r.cycles);
  };
  const double active = share("core0.mxu0.streaming"), shift = share("core0.mxu0.loading");
  const double stall = share("core0.mxu0.weight_waiting");
  std::vector<Measurement> out;
  const auto add = [&](const char* what, const char* metric, double simulated) {
    Measurement m{what, "%", measured.at(metric), simulated};
    m.scale = ErrorScale::points;
    out.push_back(m);
  };
  add("array active", "array_active_pct", active);
  add("weight stall", "weight_stall_pct", stall);
  add("weight shift", "weight_shift_pct", shift);
  add("non-matrix", "non_matrix_pct", 100 - active - stall - shift);
  out.push_back({"TOPS", "TOP/s", measured.at("TOPS_measured"), app.operations / r.seconds / 1e12});
  return out;
}

std::vector<Case> application_cases(const Table& table, const ChipChoice& choice) {
  static const std::vector<std::string> needed{
      "layers_FC",        "layers_Vector",        "layers_Conv",      "weights_M",        "batch",
      "array_active_pct", "useful_macs_pct_peak", "weight_stall_pct", "weight_shift_pct", "non_matrix_pct",
      "TOPS_measured"};
  Metrics metrics;
  for (const Row& row : table.rows()) metrics[row.text("metric")] = &row;
  for (const std::string& metric : needed)
    if (!metrics.contains(metric))
      fail_at(table.place("metric"), ErrorKind::bad_input, "HDL-VAL-42", "the table lacks the metric '{}'", metric);
  const kernels::KernelDef& kernel = kernels::find_kernel("mlp");
  std::vector<Case> cases;
  for (const std::string& app : table.columns()) {
    if (app == "metric") continue;
    if (value(metrics, "layers_Conv", app) > 0) {
      fmt::print(stderr, "{}: column '{}' has convolutions, which are not reconstructed: not run\n", table.path(), app);
      continue;
    }
    for (const char* metric : {"layers_FC", "weights_M", "batch", "TOPS_measured", "weight_shift_pct"})
      metrics.at(metric)->positive(app);
    const Application a = reconstruct(metrics, app);
    std::map<std::string, double> measured;
    for (const std::string& metric : needed) measured[metric] = value(metrics, metric, app);
    Case c;
    const auto size = [&](const char* name) { return a.sizes.at(name); };
    c.label = fmt::format("rows={} k={} n={} layers={}", size("rows"), size("k"), size("n"), size("layers"));
    c.group = app;
    c.chip = choice.chip_for(table);
    c.overrides = choice.overrides();
    c.place = table.place(app);
    c.run = [=, &kernel, chip = c.chip, overrides = c.overrides] { return run(chip, overrides, kernel, a, measured); };
    cases.push_back(std::move(c));
  }
  if (cases.empty())
    fail_at(table.place("metric"), ErrorKind::bad_input, "HDL-VAL-43", "no column is of fully connected layers only");
  return cases;
}

const Adapter applications(
    "applications", "metrics of applications, one a column: metric,MLP0,..",
    [](const Table& table) {
      if (!table.has("metric")) return Fit::none;
      for (const Row& row : table.rows())
        if (row.text("metric") == "weight_shift_pct") return Fit::exact;
      return Fit::none;
    },
    application_cases);

}  // namespace
}  // namespace heddle::validate
