// SPDX-License-Identifier: Apache-2.0
#include "sim/compute/mxu_timing.hpp"

#include <algorithm>

namespace heddle::compute {
namespace {

// Rows that really enter a cycle.
config::Ratio pace(const config::MxuSpec& mxu, DType dtype) {
  const config::Ratio rate = mxu.rate_of(dtype);
  return {rate.num * mxu.stream_share.num, rate.den * mxu.stream_share.den};
}

std::int64_t skew_cycles(const config::MxuSpec& mxu) { return mxu.skew ? mxu.rows + mxu.cols - 2 : 0; }

// Output-stationary: until a fold's results have left the cells; row by row if nothing else is said.
std::int64_t results_out(const config::MxuSpec& mxu) {
  return mxu.fold_drain_cycles > 0 ? mxu.fold_drain_cycles : mxu.rows;
}

}  // namespace

std::int64_t mxu_load_cycles(const config::MxuSpec& mxu, std::int64_t k, std::int64_t n, bool transposed) {
  return std::max(mxu.load_rows_per_cycle.cycles_for(transposed ? n : k), mxu.least_load_cycles);
}

std::int64_t mxu_stream_cycles(const config::MxuSpec& mxu, DType dtype, std::int64_t m) {
  return std::max(pace(mxu, dtype).cycles_for(m), mxu.least_stream_cycles);
}

std::int64_t mxu_drain_cycles(const config::MxuSpec& mxu) {
  return skew_cycles(mxu) + (mxu.dataflow == config::Dataflow::output_stationary ? results_out(mxu) : 0);
}

std::int64_t mxu_output_stationary_cycles(const config::MxuSpec& mxu, DType dtype, std::int64_t m, std::int64_t k) {
  const std::int64_t folds = (m + mxu.rows - 1) / mxu.rows;
  const std::int64_t fold = std::max(pace(mxu, dtype).cycles_for(k), mxu.least_fold_cycles);
  return folds * (mxu.overlap_folds ? fold : fold + skew_cycles(mxu) + results_out(mxu));
}

}  // namespace heddle::compute
