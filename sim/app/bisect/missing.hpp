// SPDX-License-Identifier: Apache-2.0
// What a kernel should have read for an element and did not: found by asking its reference.
#pragma once
#include <vector>

#include "kernels/registry/kernel.hpp"
#include "sim/app/bisect/divergence.hpp"

namespace heddle::app {

// The elements of each input on which the reference's element depends though none of the replay's steps read them: the
// box from the first to the last. `tensors` as the launch began, `placed` where they lie. Nothing for index lists, and
// for shapes whose reference is slow (it runs up to a hundred times an input).
std::vector<Box> missing_inputs(const kernels::KernelDef& kernel, const kernels::Shape& shape, DType dtype,
                                const std::vector<kernels::HostTensor>& tensors,
                                const std::vector<PlacedTensor>& placed, const Divergence& d, const Replay& replay);

}  // namespace heddle::app
