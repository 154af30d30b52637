// SPDX-License-Identifier: Apache-2.0
// Rows that name a whole workload in one word, as PyTorchSim's tables of TPU v3 do: gemm_MxKxN, layernorm_RxC,
// softmax_RxC, attention_HEADSxSEQxHEADDIM, and one encoder layer of BERT at 512 tokens, bert_base or bert_large. They
// were measured from a framework in fp32 through its graph compiler, so all but gemm run the graph_ kernels, which cut
// layers as such compilers do.
#include <charconv>
#include <optional>

#include "sim/app/validate/adapter.hpp"
#include "sim/app/validate/kernel_run.hpp"

namespace heddle::validate {
namespace {

// A workload that takes numbers: "name_AxB.." with one number for each size, in this order.
struct Pattern {
  std::string_view name, kernel;
  std::vector<std::string_view> sizes;
};
const std::vector<Pattern> patterns{{"gemm", "gemm", {"m", "k", "n"}},
                                    {"layernorm", "graph_layernorm", {"tokens", "hidden"}},
                                    {"softmax", "graph_softmax", {"rows", "cols"}},
                                    {"attention", "graph_attention", {"heads", "seq", "head_dim"}}};

// A model by its published sizes (Devlin et al., 2019).
struct Model {
  std::string_view name;
  kernels::Shape sizes;
};
const std::vector<Model> models{
    {"bert_base", {{"tokens", 512}, {"heads", 12}, {"head_dim", 64}, {"intermediate", 3072}}},
    {"bert_large", {{"tokens", 512}, {"heads", 16}, {"head_dim", 64}, {"intermediate", 4096}}}};

struct Workload {
  std::string group, label;
  const kernels::KernelDef* kernel;
  kernels::Shape shape;
};

[[noreturn]] void refuse(const Row& row) {
  fail_at(row.place("workload"), ErrorKind::bad_input, "HDL-VAL-40",
          "unknown workload '{}'; expected gemm_MxKxN, layernorm_RxC, softmax_RxC, attention_HEADSxSEQxHEADDIM, "
          "bert_base or bert_large",
          row.text("workload"));
}

// "1x2x3" as `count` whole numbers from 1 to 2^20, or nothing.
std::optional<std::vector<std::int64_t>> numbers(std::string_view text, std::size_t count) {
  constexpr std::int64_t most = 1 << 20;
  std::vector<std::int64_t> out;
  while (out.size() < count) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 1 || value > most) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    out.push_back(value);
    if (out.size() < count && !text.empty() && text.front() == 'x')
      text.remove_prefix(1);
    else if (out.size() < count)
      return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return out;
}

Workload workload_of(const Row& row) {
  const std::string& text = row.text("workload");
  for (const Model& m : models) {
    if (text != m.name) continue;
    const kernels::KernelDef& kernel = kernels::find_kernel("graph_encoder");
    return {std::string(m.name), "one layer, 512 tokens", &kernel, shape_of(kernel, m.sizes)};
  }
  for (const Pattern& p : patterns) {
    if (!text.starts_with(std::string(p.name) + "_")) continue;
    const auto sizes = numbers(std::string_view(text).substr(p.name.size() + 1), p.sizes.size());
    if (!sizes) refuse(row);
    const kernels::KernelDef& kernel = kernels::find_kernel(p.kernel);
    kernels::Shape named;
    for (std::size_t i = 0; i < p.sizes.size(); ++i) named[std::string(p.sizes[i])] = (*sizes)[i];
    return {std::string(p.name), text.substr(p.name.size() + 1), &kernel, shape_of(kernel, named)};
  }
  refuse(row);
}

Case workload_case(const Row& row, const ChipChoice& choice) {
  row.table().require_columns({"workload", "measured_cycles"}, {});
  const Workload w = workload_of(row);
  const double measured = row.positive("measured_cycles");
  Case c;
  c.label = w.label;
  c.group = w.group;
  c.chip = choice.chip_for(row.table());
  c.overrides = choice.overrides();
  c.place = row.place();
  c.run = [w, measured, chip = c.chip, overrides = c.overrides] {
    const kernels::CaseResult r = run_kernel(chip, overrides, *w.kernel, w.shape, DType::fp32);
    return std::vector<Measurement>{{"time", "cycles", measured, static_cast<double>(r.cycles)}};
  };
  return c;
}

const Adapter workloads(
    "workload", "a column 'workload' such as gemm_512x512x512 or bert_base",
    [](const Row& row) { return row.table().has("workload") ? Fit::exact : Fit::none; }, workload_case);

}  // namespace
}  // namespace heddle::validate
