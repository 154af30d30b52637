// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "isa/base/dtype.hpp"

namespace heddle::kernels {

// Element i of packed elements; of int4 the even ones are the low halves of their bytes.
double read_element(const std::uint8_t* bytes, DType dtype, std::int64_t i);

}  // namespace heddle::kernels
