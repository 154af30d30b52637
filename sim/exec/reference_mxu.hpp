// SPDX-License-Identifier: Apache-2.0
// The arrays' values as docs/isa/semantics.md writes them down: an element at a time, in plain loops. Shares no
// arithmetic with matmul_kernels.cpp, so that each can be held against the other.
#pragma once
#include <memory>

#include "sim/exec/execute.hpp"

namespace heddle::exec {

std::unique_ptr<IMxuExecutor> make_reference_mxus();

}  // namespace heddle::exec
