// SPDX-License-Identifier: Apache-2.0
// Helpers for the reference.cpp files: each states what a kernel computes, without how.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/registry/kernel.hpp"

namespace heddle::kernels {

inline std::int64_t at(const Shape& s, std::string_view name) { return s.find(name)->second; }

// Compulsory traffic: every operand once (an inout operand twice, workspace never).
inline double bytes_once(const std::vector<TensorSpec>& tensors) {
  double bytes = 0;
  for (const TensorSpec& t : tensors)
    if (t.role != Role::workspace) bytes += static_cast<double>(t.bytes()) * (t.role == Role::inout ? 2 : 1);
  return bytes;
}

// Uniform integers in [0, count).
inline auto uniform_index(std::int64_t count) {
  return [count](std::int64_t, std::uint64_t random) {
    return static_cast<double>(random % static_cast<std::uint64_t>(count));
  };
}

// Relative error that one rounding to the dtype's mantissa may leave, with room for a second rounding.
inline double rounding(DType dtype) {
  switch (dtype) {
    case DType::bf16:
      return 1.0 / 128;
    case DType::fp16:
      return 1.0 / 1024;
    case DType::fp8_e4m3:
      return 1.0 / 8;
    case DType::fp8_e5m2:
      return 1.0 / 4;
    case DType::fp32:
      return 2e-6;
    default:
      return 0;  // integers are exact
  }
}

}  // namespace heddle::kernels
