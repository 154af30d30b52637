// SPDX-License-Identifier: Apache-2.0
#include "sdk/arch/target.hpp"

namespace heddle::sdk {

Target target_of(const hdl_chip_info& chip) {
  Target t;
  t.name = chip.name;
  t.cores = static_cast<int>(chip.cores);
  t.chips = static_cast<int>(chip.chips);
  t.mxu_count = static_cast<int>(chip.mxu_count);
  t.mxu_rows = static_cast<int>(chip.mxu_rows);
  t.mxu_cols = static_cast<int>(chip.mxu_cols);
  t.vpu_count = static_cast<int>(chip.vpu_count);
  t.vpu_lanes = static_cast<int>(chip.vpu_lanes);
  t.vpu_sublanes = static_cast<int>(chip.vpu_sublanes);
  t.dma_engines = static_cast<int>(chip.dma_engines);
  t.queue_depth = static_cast<int>(chip.queue_depth);
  t.semaphores = static_cast<int>(chip.semaphores);
  t.spm_bytes = static_cast<std::int64_t>(chip.spm_bytes);
  t.acc_bytes = static_cast<std::int64_t>(chip.acc_bytes);
  t.smem_bytes = static_cast<std::int64_t>(chip.smem_bytes);
  t.spm_width_bytes = static_cast<std::int64_t>(chip.spm_width_bytes);
  t.hbm_bytes = static_cast<std::int64_t>(chip.hbm_bytes);
  t.hbm_bytes_per_second = static_cast<std::int64_t>(chip.hbm_bytes_per_second);
  t.clock_hz = static_cast<std::int64_t>(chip.clock_hz);
  for (std::size_t i = 0; i < t.macs_per_cycle.size(); ++i) t.macs_per_cycle[i] = chip.macs_per_cycle[i];
  t.stage_bytes = static_cast<std::int64_t>(chip.stage_bytes);
  t.ragged_attention = chip.ragged_attention != 0;
  return t;
}

Target small_target() {
  Target t;
  t.name = "small";
  t.cores = 2;
  t.mxu_rows = t.mxu_cols = 64;
  t.vpu_lanes = 64;
  t.dma_engines = 4;
  t.spm_bytes = 2 << 20;
  t.acc_bytes = 256 << 10;
  t.smem_bytes = 16 << 10;
  t.hbm_bytes = std::int64_t{4} << 30;
  t.hbm_bytes_per_second = 51'200'000'000;
  t.clock_hz = 1'000'000'000;
  t.macs_per_cycle.fill(64 * 64);
  return t;
}

}  // namespace heddle::sdk
