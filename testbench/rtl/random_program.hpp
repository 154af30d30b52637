// SPDX-License-Identifier: Apache-2.0
// Random programs around an array: loads and matmuls of ragged tiles, back to back or late, transposed, strided into
// bank conflicts, waiting for other engines, empty. The same seed gives the same program.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/rtl/i_matrix_rtl.hpp"

namespace heddle::testing {

struct RandomProgram {
  std::vector<std::string> overrides;  // of testbench/timing/engines/plain.yaml
  std::string text;  // entry "start"; arguments: addresses of the SPM's bytes, of ACC's, of the result
  std::vector<std::uint8_t> spm, acc;
};

RandomProgram random_program(const rtl::Geometry& array, std::uint32_t seed);

}  // namespace heddle::testing
