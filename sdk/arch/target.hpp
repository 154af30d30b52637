// SPDX-License-Identifier: Apache-2.0
// The machine a program is recorded for: the numbers a kernel needs to choose tiles and place buffers.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "isa/abi/device.h"
#include "isa/base/dtype.hpp"

namespace heddle::sdk {

struct Target {
  std::string name;
  int cores = 1;
  int chips = 1;
  int mxu_count = 1;
  int mxu_rows = 0;  // largest k of a stationary tile
  int mxu_cols = 0;  // largest n of a stationary tile
  int vpu_count = 1;
  int vpu_lanes = 0;
  int vpu_sublanes = 1;
  int dma_engines = 1;
  int queue_depth = 16;  // entries of each engine's queue
  int semaphores = 64;
  std::int64_t spm_bytes = 0;
  std::int64_t acc_bytes = 0;
  std::int64_t smem_bytes = 0;
  std::int64_t spm_width_bytes = 64;  // of one bank: base addresses of tiles are multiples of it
  std::int64_t hbm_bytes = 0;
  std::int64_t hbm_bytes_per_second = 0;
  std::int64_t clock_hz = 0;
  std::array<double, dtype_count> macs_per_cycle{};  // of one core; 0: dtype not supported

  // What programs compiled for this machine do by habit (see `software` in docs/config.md).
  std::int64_t stage_bytes = 0;   // operands of up to so many are copied whole to SPM before a product; 0: none are
  bool ragged_attention = false;  // attention runs as JAX's ragged paged attention

  bool supports(DType t) const { return macs_per_cycle[static_cast<std::size_t>(t)] > 0; }
};

Target target_of(const hdl_chip_info& chip);

// The target a test can use without a device: 2 cores, one 64x64 array, 2 MiB SPM, 256 KiB ACC, 16 KiB SMEM, 4 DMA
// engines.
Target small_target();

}  // namespace heddle::sdk
