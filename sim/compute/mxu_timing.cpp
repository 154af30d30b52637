// SPDX-License-Identifier: Apache-2.0
#include "sim/compute/mxu_timing.hpp"

namespace heddle::compute {

std::int64_t mxu_load_cycles(const config::MxuSpec& mxu, std::int64_t k, std::int64_t n, bool transposed) {
  return mxu.load_rows_per_cycle.cycles_for(transposed ? n : k);
}

std::int64_t mxu_stream_cycles(const config::MxuSpec& mxu, DType dtype, std::int64_t m) {
  return mxu.rate[static_cast<std::size_t>(dtype)].cycles_for(m);
}

std::int64_t mxu_drain_cycles(const config::MxuSpec& mxu) { return mxu.rows + mxu.cols - 2; }

std::int64_t mxu_output_stationary_cycles(const config::MxuSpec& mxu, DType dtype, std::int64_t m, std::int64_t k) {
  const std::int64_t folds = (m + mxu.rows - 1) / mxu.rows;
  return folds * (2 * mxu.rows + mxu.cols + mxu.rate[static_cast<std::size_t>(dtype)].cycles_for(k) - 2);
}

}  // namespace heddle::compute
