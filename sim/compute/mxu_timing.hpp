// SPDX-License-Identifier: Apache-2.0
// How long the array is busy, in cycles: the formulas, and nothing else. R and C are the array's rows and columns.
//
// Weight-stationary: a stream of T rows through an R x C array takes T + R + C - 2 cycles from the first row's entry to
// the last row's exit: row i of the stream enters the first cell in cycle i, its skewed wavefront needs R - 1 more
// cycles down and C - 1 more across. With the weights loaded first, one stationary row a cycle, 2R + C + T - 2.
// Output-stationary: fill, compute, drain: K + R + C - 2 until the last cell has its sum, R more to shift R rows of
// results out, so 2R + C + K - 2. (Both are what bare systolic arrays in RTL take, cycle for cycle.)
#pragma once
#include <cstdint>

#include "isa/base/dtype.hpp"
#include "sim/config/chip_spec.hpp"

namespace heddle::compute {

// Cycles to bring a stationary tile of k rows and n columns into the array; transposed tiles come column by column.
std::int64_t mxu_load_cycles(const config::MxuSpec& mxu, std::int64_t k, std::int64_t n, bool transposed);

// Cycles in which m rows enter the array at the dtype's rate. The dtype has one (HDL-EXEC-11 otherwise, at issue).
std::int64_t mxu_stream_cycles(const config::MxuSpec& mxu, DType dtype, std::int64_t m);

// From the end of a stream's entry to its last row's exit: R + C - 2.
std::int64_t mxu_drain_cycles(const config::MxuSpec& mxu);

// Output-stationary [m,k] x [k,n]: ceil(m / R) folds, one after the other, each 2R + C + k / rate - 2.
std::int64_t mxu_output_stationary_cycles(const config::MxuSpec& mxu, DType dtype, std::int64_t m, std::int64_t k);

}  // namespace heddle::compute
