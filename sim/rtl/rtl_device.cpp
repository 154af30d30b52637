// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/rtl_device.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/base/error.hpp"
#include "sim/check/selection.hpp"
#include "sim/config/load_chip.hpp"
#include "sim/control/jitter.hpp"
#include "sim/rtl/rtl_api.h"
#include "sim/top/device_face.hpp"

namespace heddle::rtl {
namespace {

bool takes(const Geometry& g, DType t) {
  if (!is_float(t)) return g.int8;
  return t == DType::bf16 ? g.mantissa >= 7 : g.mantissa == 23;
}

template <class... T>
[[noreturn]] void refuse(const config::ChipSpec& chip, fmt::format_string<T...> text, T&&... values) {
  fail(ErrorKind::unsupported, "HDL-RTL-03", "{} cannot have its array in RTL: {}", chip.name,
       fmt::format(text, std::forward<T>(values)...));
}

// The first variant that is this array, in the dtypes that the chip has a rate for.
const Variant& variant_for(const config::ChipSpec& chip) {
  const config::MxuSpec& mxu = chip.core.mxu;
  const bool output_stationary = mxu.dataflow == config::Dataflow::output_stationary;
  const auto one_in_n = [&](const char* key, const config::Ratio& r) {
    if (r.num != 0 && r.den % r.num != 0)
      refuse(chip, "core.mxu.{} is {}/{}; the RTL takes a row every n cycles (1/n)", key, r.num, r.den);
  };
  one_in_n("load_rows_per_cycle", mxu.load_rows_per_cycle);
  for (std::size_t t = 0; t < dtype_count; ++t)
    one_in_n(fmt::format("rate.{}", name(static_cast<DType>(t))).c_str(), mxu.rate_of(static_cast<DType>(t)));
  const config::MxuSpec plain;
  const bool same =
      mxu.least_load_cycles == plain.least_load_cycles && mxu.least_stream_cycles == plain.least_stream_cycles &&
      mxu.least_fold_cycles == plain.least_fold_cycles && mxu.fold_drain_cycles == plain.fold_drain_cycles &&
      mxu.overlap_folds == plain.overlap_folds && mxu.skew == plain.skew &&
      mxu.pipeline_cycles == plain.pipeline_cycles && mxu.stream_share.num == mxu.stream_share.den &&
      (mxu.clock_hz == 0 || mxu.clock_hz == chip.clock_hz);
  if (!same)
    refuse(chip,
           "of core.mxu, least_*_cycles, fold_drain_cycles, overlap_folds, skew, pipeline_cycles, stream_share and "
           "clock are in the "
           "RTL at their standard values only");
  if (mxu.issue_cycles > 255) refuse(chip, "core.mxu.issue_cycles is {}; the RTL counts to 255", mxu.issue_cycles);

  std::vector<std::string> sizes;
  for (const Variant& v : variants()) {
    const Geometry& g = v.geometry;
    if (g.output_stationary != output_stationary) continue;
    sizes.push_back(fmt::format("{}x{}", g.rows, g.cols));
    if (g.rows != mxu.rows || g.cols != mxu.cols) continue;
    if (chip.core.sequencer.queue_depth > g.queue)
      refuse(chip, "its queues have {} entries, the RTL's {}", chip.core.sequencer.queue_depth, g.queue);
    for (std::size_t t = 0; t < dtype_count; ++t)
      if (mxu.rate[t].num != 0 && !takes(g, static_cast<DType>(t)))
        refuse(chip, "the {} array does not compute in {}", v.name, name(static_cast<DType>(t)));
    return v;
  }
  refuse(chip, "it is {}x{}, {}-stationary; built were {} (--set core.mxu.rows=.. --set core.mxu.cols=..)", mxu.rows,
         mxu.cols, output_stationary ? "output" : "weight", fmt::join(sizes, ", "));
}

std::unique_ptr<top::SimulatorDevice> make_device(const std::string& chip, const std::vector<std::string>& overrides,
                                                  hdl_mode mode, unsigned) {
  return make_rtl_device(chip, overrides, mode);
}

constexpr hdl_api face = top::device_face<make_device>("rtl");

}  // namespace

std::unique_ptr<top::SimulatorDevice> make_rtl_device(const std::string& chip,
                                                      const std::vector<std::string>& overrides, hdl_mode mode,
                                                      IRtlObserver* rows, compute::IMxuObserver* courses) {
  if (variants().empty())
    fail(ErrorKind::unsupported, "HDL-RTL-01",
         "this heddle was built without the RTL target, which needs Verilator (apt-get install verilator, then "
         "./heddle build)");
  if (mode != HDL_MODE_FULL)
    fail(ErrorKind::unsupported, "HDL-RTL-02", "RTL computes values and cycles together; it runs in full mode");
  std::vector<std::string> of_chip = overrides;
  check::take_selection(of_chip);  // the device below reads these two
  control::take_jitter(of_chip);
  const Variant* variant = &variant_for(config::load_chip(chip, of_chip));
  top::DeviceParts parts;
  parts.mxu_observer = courses;
  parts.make_mxu = [variant, rows](const char* name, compute::CoreContext& context, std::uint32_t index,
                                   compute::AgentId id) -> std::unique_ptr<compute::Engine> {
    return std::make_unique<RtlMxu>(name, context, index, id, variant->make(), rows);
  };
  return std::make_unique<top::SimulatorDevice>(chip, overrides, mode, 1, parts);
}

}  // namespace heddle::rtl

extern "C" const hdl_api* hdl_rtl_api(void) { return &heddle::rtl::face; }
