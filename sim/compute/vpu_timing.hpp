// SPDX-License-Identifier: Apache-2.0
// How long the vector unit works on an instruction, in cycles.
//
// A pass handles up to `lanes` elements of each of up to `sublanes` rows; the class of the operation says how many
// passes a cycle the unit makes. With R rows (all dimensions but the last) of n elements:
//   dense elementwise operands (nothing broadcast, no gaps):  passes = ceil(R * n / (lanes * sublanes))
//   else:  passes = ceil(R / sublanes) * ceil(n / (lanes * g)),  g = max(1, floor(sublanes / R)) sublanes a row
// and cycles = ceil(passes / rate of the class). A reduction adds one tree over the lanes, ceil(log2(lanes * g))
// cycles; top-k makes its passes once for each of the k results; fused goes at the rate of its function. However light
// the operation, it goes no faster than `two_sources` where two sources have the result's shape, and than `read` and
// `write` of the dtypes of its sources and its result. All cycles are of the unit's own clock, if it has one. The
// instruction as a whole takes start_cycles more, and no less than its scratchpad operands need (see spm_traffic.hpp).
#pragma once
#include <cstdint>

#include "sim/config/chip_spec.hpp"
#include "sim/exec/engine_op.hpp"

namespace heddle::compute {

// Without start_cycles and scratchpad limits; 0 for an empty operand and for vpu.sync.
std::int64_t vpu_body_cycles(const config::VpuSpec& vpu, const exec::EngineOp& op);

// Row passes of R rows of n elements, as above.
std::int64_t vpu_row_passes(const config::VpuSpec& vpu, std::int64_t rows, std::int64_t n);

}  // namespace heddle::compute
