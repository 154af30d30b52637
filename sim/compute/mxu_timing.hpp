// SPDX-License-Identifier: Apache-2.0
// How long the array is busy, in cycles: the formulas, and nothing else. R and C are the array's rows and columns.
//
// Weight-stationary: a stream of T rows through an R x C array takes T + R + C - 2 cycles from the first row's entry to
// the last row's exit: row i of the stream enters the first cell in cycle i, its skewed wavefront needs R - 1 more
// cycles down and C - 1 more across. With the weights loaded first, one stationary row a cycle, 2R + C + T - 2.
// Output-stationary: fill, compute, drain: K + R + C - 2 until the last cell has its sum, R more to shift R rows of
// results out, so 2R + C + K - 2; an array with another way out says how long that takes (fold_drain_cycles). (Both are
// what bare systolic arrays in RTL take, cycle for cycle.) With overlap_folds the cells hold two sets of sums: folds
// follow each other every K cycles, and R + C - 2 + R pass only once, behind the last. Without skew (adder trees) R + C
// - 2 is 0. What pipeline_cycles adds, it adds to the completion alone.
#pragma once
#include <cstdint>

#include "isa/base/dtype.hpp"
#include "sim/config/chip_spec.hpp"

namespace heddle::compute {

// Cycles to bring a stationary tile of k rows and n columns into the array; transposed tiles come column by column.
std::int64_t mxu_load_cycles(const config::MxuSpec& mxu, std::int64_t k, std::int64_t n, bool transposed);

// Cycles in which m rows enter the array at the dtype's rate, no fewer than least_stream_cycles. The dtype has one
// (HDL-EXEC-11 otherwise, at issue).
std::int64_t mxu_stream_cycles(const config::MxuSpec& mxu, DType dtype, std::int64_t m);

// From the end of a stream's entry to its last row's exit: R + C - 2, or 0 without skew; and R more in an
// output-stationary array, whose results shift out row by row.
std::int64_t mxu_drain_cycles(const config::MxuSpec& mxu);

// Output-stationary [m,k] x [k,n]: ceil(m / R) folds of k / rate, each with its drain unless overlap_folds.
std::int64_t mxu_output_stationary_cycles(const config::MxuSpec& mxu, DType dtype, std::int64_t m, std::int64_t k);

}  // namespace heddle::compute
